internal import AuthNetworking
internal import GroupMessages

/// Group messages' requests, carried out by the session.
struct SessionRequests: AuthenticatedRequests {
  private let controller: SessionController

  init(controller: SessionController) {
    self.controller = controller
  }

  func perform(_ request: MessageRequest) async throws -> MessageResponse {
    var carried = APIRequest(
      HTTPMethod(rawValue: request.method.rawValue),
      request.target,
      body: request.body
    )
    carried.sessionGeneration = request.period?.generation
    let response = try await controller.send(carried)
    let isRefusal = response.status >= 400
    return MessageResponse(
      status: response.status,
      body: response.body,
      requestID: response.requestID,
      retryAfter: isRefusal ? response.httpResponse.retryAfter() : nil
    )
  }

  func isTemporary(_ error: any Error) -> Bool { (error as? AuthError)?.isTemporary ?? false }
}
