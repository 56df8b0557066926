import SessionModels
import SessionModelsTesting
import Testing

@Suite struct SessionTests {
  private let session = AuthInfoFixtures.signedIn().session

  @Test func `R9: no printing shows any of its secrets`() {
    for printout in printouts(of: session) {
      for secret in AuthInfoFixtures.secrets {
        #expect(!printout.contains(secret))
        #expect(!printout.contains(secret.suffix(7)))
      }
    }
  }

  @Test func `another token, owner or seed is another session`() {
    var others = Array(repeating: session, count: 4)
    others[0].accessToken = nil
    others[1].refreshToken = Secret("another")
    others[2].userID = UserID("user-2")
    others[3].identitySeed = nil
    #expect(others.allSatisfy { $0 != session })
    #expect(session == AuthInfoFixtures.signedIn().session)
  }
}
