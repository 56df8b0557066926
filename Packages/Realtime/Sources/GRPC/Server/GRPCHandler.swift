/// What a server does with the calls of one method.
///
/// A handler runs in a task of its own, which is cancelled when the client resets the call, the
/// connection breaks, the deadline passes or the server stops. It fails a call by throwing a
/// ``GRPCStatus``; any other error becomes UNKNOWN, without its text.
public enum GRPCHandler: Sendable {
  /// One message in, one out.
  case unary(@Sendable (_ request: [UInt8], _ call: GRPCServerCall) async throws -> [UInt8])

  /// One message in, any number out by ``GRPCServerCall/send(_:)``.
  case serverStreaming(@Sendable (_ request: [UInt8], _ call: GRPCServerCall) async throws -> Void)

  /// Any number in by ``GRPCServerCall/next()``, any number out by ``GRPCServerCall/send(_:)``.
  case streaming(@Sendable (_ call: GRPCServerCall) async throws -> Void)
}

extension GRPCHandler {
  func run(_ call: GRPCServerCall) async throws {
    switch self {
    case .unary(let body): try await call.sendLast(body(call.onlyMessage(), call))
    case .serverStreaming(let body): try await body(call.onlyMessage(), call)
    case .streaming(let body): try await body(call)
    }
  }
}
