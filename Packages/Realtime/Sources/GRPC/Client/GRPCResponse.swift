/// The answer to a unary call that ended with OK.
public struct GRPCResponse: Equatable, Sendable {
  /// The message.
  public let message: [UInt8]

  /// The metadata that the answer began with.
  public let metadata: GRPCMetadata

  /// The metadata that came with the status.
  public let trailers: GRPCMetadata
}
