/// A ``GRPCCall`` whose messages are values.
///
/// What is said there about tasks, cancelling and dropping holds here.
public struct GRPCTypedCall<Request: Sendable, Response: Sendable>: Sendable {
  /// The call under it: metadata, trailers, cancelling.
  public let call: GRPCCall

  private let method: GRPCMethod<Request, Response>

  init(_ call: GRPCCall, _ method: GRPCMethod<Request, Response>) {
    self.call = call
    self.method = method
  }

  /// Sends one message; suspends while the server is slower than the caller.
  ///
  /// - Parameter request: the message.
  /// - Throws: ``GRPCError`` when it cannot be encoded or the call is over.
  public func send(_ request: Request) async throws(GRPCError) {
    try await call.send(method.bytes(request))
  }

  /// Says that no more messages follow.
  public func closeSend() async { await call.closeSend() }

  /// The next message, or nil when the call ended with OK.
  ///
  /// - Throws: ``GRPCError`` when it ended otherwise, or the message cannot be decoded, which ends
  ///   the call.
  public func next() async throws(GRPCError) -> Response? {
    guard let bytes = try await call.next() else { return nil }
    do throws(GRPCError) {
      return try method.response(bytes)
    } catch {
      call.cancel()
      throw error
    }
  }

  /// Ends the request, and waits for the one answer of a client-streaming call.
  ///
  /// - Returns: the answer of a call that ended with OK.
  /// - Throws: ``GRPCError`` for every other end, and for none or several messages.
  public func onlyResponse() async throws(GRPCError) -> Response {
    await closeSend()
    guard let answer = try await next() else {
      throw GRPCError(GRPCStatus(.internalError, "The answer has no message."))
    }
    guard try await call.next() == nil else {
      call.cancel()
      throw GRPCError(GRPCStatus(.internalError, "The answer has more than one message."))
    }
    return answer
  }
}
