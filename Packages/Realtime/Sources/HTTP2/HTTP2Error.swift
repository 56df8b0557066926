/// Why a session, or one request of it, cannot go on.
public struct HTTP2Error: Error, Equatable, Sendable {
  /// What went wrong, for programs.
  public enum Kind: Sendable {
    /// The peer's bytes are no HTTP/2, or break its rules: the connection is over.
    case connection

    /// The peer sends more control frames than anyone needs: the connection is over.
    case flood

    /// The stream is closed, or no new one can be opened on this connection.
    case stream
  }

  /// What went wrong, for programs.
  public let kind: Kind

  /// What went wrong, in one sentence for people.
  public let message: String

  /// An error of this kind.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
