internal import AuthNetworking
internal import GRPC
internal import SessionModels

/// The session's tokens for realtime calls: asked for at every call, refreshed once when refused.
struct SessionTokens: TokenProvider {
  private let controller: SessionController
  private let console: Console

  init(controller: SessionController, console: Console) {
    self.controller = controller
    self.console = console
  }

  func token() async throws -> Secret? {
    let secret = try await controller.token().secret
    console.conceal([secret])
    return secret
  }

  func tokenWasRefused(_ token: Secret) async throws -> Bool {
    do {
      return try await controller.accessTokenWasRefused(AccessToken(token)).secret != token
    } catch  where error.code == .rejected {
      // The server refuses whatever this session has: the call's own status says so (R12).
      return false
    }
  }

  func endsSession(_ error: any Error) -> Bool {
    switch (error as? AuthError)?.code {
    case .notSignedIn, .sessionEnded: true
    default: false
    }
  }
}
