import AuthNetworking
import AuthNetworkingTesting
import SessionModels
import Testing

/// What the error of a request says of the server: it has not carried it out, or nobody knows.
struct RequestWithoutEffectTests {
  private static let post = APIRequest(.post, "/things", body: Array("{}".utf8))
  private static let refused = TransportError(.network, "Nobody listens", isUnsent: true)
  private static let lost = TransportError(.network, "The connection was reset")

  private func error(_ controller: SessionController) async -> AuthError? {
    await failure { () throws(AuthError) in _ = try await controller.send(Self.post) }
  }

  @Test(arguments: [refused, lost])
  func `the transport's word stands for the first attempt`(failure: TransportError) async throws {
    let harness = SessionHarness()
    let network = ScriptedTransport { _ throws(TransportError) in throw failure }
    let error = await error(try harness.controller(transport: network))
    #expect(error?.code == .network)
    #expect(error?.isWithoutEffect == failure.isUnsent)
  }

  @Test(arguments: [RotatingServer.Fault.lostRequest, .lostAnswer, .answer(status: 500)])
  func `while there is no token to send, the request itself is not sent`(
    fault: RotatingServer.Fault
  ) async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(fault)
    let error = await error(try harness.controller())
    #expect(error?.isTemporary == true)
    #expect(error?.isWithoutEffect == true)
    #expect(harness.server.counts.resources == 0)
  }

  @Test func `nobody signed in, nothing is sent`() async throws {
    let error = await error(try SessionHarness(signedIn: false).controller())
    #expect(error?.code == .notSignedIn)
    #expect(error?.isWithoutEffect == true)
  }

  @Test(arguments: [RotatingServer.Fault.lostAnswer, .answer(status: 500)])
  func `a 401 that no refresh follows has carried nothing out`(
    fault: RotatingServer.Fault
  ) async throws {
    let harness = SessionHarness(accessLifetime: nil)
    harness.server.revokeAccessTokens()
    harness.server.failRefreshes(fault)
    let error = await error(try harness.controller())
    #expect(error?.isTemporary == true)
    #expect(error?.isWithoutEffect == true)
    #expect(harness.server.counts.resources == 1)
  }

  @Test(arguments: [refused, lost])
  func `after a 401 it is the replay's word that counts`(failure: TransportError) async throws {
    let harness = SessionHarness(accessLifetime: nil)
    harness.server.revokeAccessTokens()
    let network = ScriptedTransport { [server = harness.server] request throws(TransportError) in
      if request.url.path == "/things", server.counts.rotations > 0 { throw failure }
      return try server.answer(request)
    }
    let error = await error(try harness.controller(transport: network))
    #expect(error?.isWithoutEffect == failure.isUnsent)
    #expect(harness.server.counts.rotations == 1)
  }

  @Test(arguments: [303, 307])
  func `behind a redirect nobody knows`(status: Int) async throws {
    let harness = SessionHarness()
    let network = ScriptedTransport { request throws(TransportError) in
      guard request.url.path == "/things" else { throw Self.refused }
      return HTTPResponse(status: status, headers: HTTPHeaders([("Location", "/elsewhere")]))
    }
    let error = await error(try harness.controller(transport: network))
    #expect(error?.code == .network)
    #expect(error?.isWithoutEffect == false)
    #expect(network.requests.count == 2)
  }
}
