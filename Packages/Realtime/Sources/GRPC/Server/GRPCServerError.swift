/// Why a server could not start.
public struct GRPCServerError: Error, Equatable, Sendable {
  /// One sentence for people.
  public let message: String
}

extension GRPCServerError: CustomStringConvertible {
  /// The same as ``message``.
  public var description: String { message }
}
