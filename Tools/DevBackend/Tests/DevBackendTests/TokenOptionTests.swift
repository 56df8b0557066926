import Testing

@testable import DevBackend

/// The options that say how tokens are signed and how sessions live.
@Suite struct TokenOptionTests {
  private func configuration(_ arguments: [String]) throws -> BackendConfiguration {
    guard case .run(let options) = BackendCommand(arguments: arguments) else {
      throw TestClient.NoAnswer()
    }
    return options.configuration
  }

  @Test func `keys sign by EdDSA for 30 days unless told otherwise`() throws {
    let configuration = try configuration([])
    #expect(configuration.signingAlgorithm == .edDSA)
    #expect(configuration.signingKeyInterval == .seconds(30 * 86_400))
    #expect(configuration.signingKeyAnnouncement == .seconds(600))
    #expect(!configuration.rotatesSigningKey)
    #expect(configuration.reuseReach == .dialect)
    #expect(configuration.loginRate == 10)
    #expect(configuration.clientAddressHeader == nil)
    #expect(configuration.sessionCacheLifetime == .seconds(60))
  }

  @Test func `every option is taken`() throws {
    let configuration = try configuration([
      "--token-signing=HS256", "--key-rotation", "0", "--key-announcement=60", "--rotate-keys",
      "--reuse-ends=user", "--session-cache=0", "--login-rate=0", "--client-address-header",
      "X-Real-IP",
    ])
    #expect(configuration.reuseReach == .user)
    #expect(configuration.loginRate == 0)
    #expect(configuration.clientAddressHeader == "X-Real-IP")
    #expect(configuration.sessionCacheLifetime == .zero)
    #expect(configuration.signingAlgorithm == .hs256)
    #expect(configuration.signingKeyInterval == nil)
    #expect(configuration.signingKeyAnnouncement == .seconds(60))
    #expect(configuration.rotatesSigningKey)
  }

  @Test(arguments: [
    ("--token-signing=none", "--token-signing must be EdDSA or HS256, not 'none'"),
    ("--reuse-ends=all", "--reuse-ends must be dialect or session or user, not 'all'"),
    ("--session-cache=61", "--session-cache must be whole seconds from 0 to 60, not '61'"),
    ("--login-rate=many", "--login-rate must be a number from 0 to 6000, not 'many'"),
    ("--key-rotation=-1", "--key-rotation must be whole seconds from 0 on, not '-1'"),
    ("--key-announcement=x", "--key-announcement must be whole seconds from 0 on, not 'x'"),
  ])
  func `a wrong value is named, with what to do`(argument: String, message: String) {
    guard case .misuse(let text) = BackendCommand(arguments: [argument]) else {
      Issue.record("\(argument) was accepted")
      return
    }
    #expect(text.contains(message))
  }
}
