extension GRPCChannel {
  /// One message out, one in.
  ///
  /// - Parameters:
  ///   - method: the method and its messages.
  ///   - request: the message.
  ///   - options: deadline, metadata and more.
  /// - Returns: the answer of a call that ended with OK.
  /// - Throws: ``GRPCError`` for every other end, and for messages that the codec refuses.
  public func unary<Request, Response>(
    _ method: GRPCMethod<Request, Response>,
    _ request: Request,
    options: GRPCCallOptions = .init()
  ) async throws(GRPCError) -> Response {
    let message = try method.bytes(request)
    return try method.response(
      try await unary(method.path, message: message, options: options).message
    )
  }

  /// One message out, any number in by ``GRPCTypedCall/next()``.
  ///
  /// - Parameters:
  ///   - method: the method and its messages.
  ///   - request: the message.
  ///   - options: deadline, metadata and more.
  /// - Returns: the call, whose request is on its way.
  /// - Throws: ``GRPCError`` when it could not be sent.
  public func serverStreaming<Request, Response>(
    _ method: GRPCMethod<Request, Response>,
    _ request: Request,
    options: GRPCCallOptions = .init()
  ) async throws(GRPCError) -> GRPCTypedCall<Request, Response> {
    let message = try method.bytes(request)
    let call = try await serverStreaming(method.path, message: message, options: options)
    return GRPCTypedCall(call, method)
  }

  /// Any number out by ``GRPCTypedCall/send(_:)``, any number in by ``GRPCTypedCall/next()``, or one
  /// by ``GRPCTypedCall/onlyResponse()``.
  ///
  /// - Parameters:
  ///   - method: the method and its messages.
  ///   - options: deadline, metadata and more.
  /// - Returns: the call, whose headers are on their way.
  /// - Throws: ``GRPCError`` when it could not be begun.
  public func streaming<Request, Response>(
    _ method: GRPCMethod<Request, Response>,
    options: GRPCCallOptions = .init()
  ) async throws(GRPCError) -> GRPCTypedCall<Request, Response> {
    GRPCTypedCall(try await streaming(method.path, options: options), method)
  }
}
