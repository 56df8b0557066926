import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SessionModels
import Testing

/// What a realtime client asks for when a server refuses its token: the next one, once.
///
/// Run in an optimised build as well: what a function hands back was not whole there once, and only
/// there, since the compiler ended the life of a large value before it was copied out.
struct RefusedTokenTests {
  @Test func `what comes in the place of a refused token is whole`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    for _ in 0..<20 {
      let old = try await controller.token()
      harness.server.revokeAccessTokens()
      let newer = try await controller.accessTokenWasRefused(old)
      #expect(newer != old)
      let read = AccessToken(newer.secret)
      #expect(newer.subject == read.subject)
      #expect(newer.sessionID == read.sessionID)
      #expect(newer.issuedAt == read.issuedAt)
      #expect(newer.expiresAt == read.expiresAt)
      #expect(newer.expiresAt != nil)
      #expect(try harness.record.authInfo?.session.accessToken == newer)
      // So long that the budget of the next one is free again (R12).
      harness.clock.advance(by: .seconds(120))
    }
  }

  @Test func `R1: told of one refused token by many, it refreshes once`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    let old = try await controller.token()
    harness.server.revokeAccessTokens()
    let newer = try await withThrowingTaskGroup { group in
      for _ in 0..<20 { group.addTask { try await controller.accessTokenWasRefused(old) } }
      var newer: Set<AccessToken> = []
      for try await token in group { newer.insert(token) }
      return newer
    }
    #expect(newer.count == 1)
    #expect(harness.server.counts.rotations == 1)
    // Nor does it for whoever hears of it late (R7).
    #expect(try await controller.accessTokenWasRefused(old) == newer.first)
    #expect(harness.server.counts.rotations == 1)
  }
}
