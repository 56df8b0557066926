/// How a call failed, and all that the server said with it.
public struct GRPCError: Error, Sendable {
  /// Why a connection could not be made or kept.
  public enum Cause: String, Sendable {
    /// Nothing answers there, or the connection broke.
    case network

    /// TLS could not be agreed on.
    case tls

    /// The server's key is none of the pinned ones.
    case pinMismatch

    /// A certificate file or pin given by the caller is unusable.
    case configuration
  }

  /// The status; never OK.
  public let status: GRPCStatus

  /// The metadata that the answer began with.
  public var metadata = GRPCMetadata()

  /// The metadata that came with the status; all of it for a Trailers-Only answer.
  public var trailers = GRPCMetadata()

  /// Set when the status is UNAVAILABLE because of the connection.
  public var cause: Cause?

  /// What the token provider threw, when that is why nothing was sent.
  public var tokenError: (any Error)?

  /// Whether the server had begun to answer.
  package var hadBegun = false

  /// An error from a status alone.
  public init(_ status: GRPCStatus, cause: Cause? = nil) {
    self.status = status
    self.cause = cause
  }
}

extension GRPCError: CustomStringConvertible {
  /// Code and text of the status.
  public var description: String { status.description }
}
