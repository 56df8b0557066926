import SessionModels
import SessionModelsTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct AccessTokenTests {
  @Test func `what a JWT says can be read`() {
    let token = AccessToken(
      TokenFixtures.jwt(subject: "user-7", sessionID: "s-1", issuedAt: 100, expiresAt: 1000)
    )
    #expect(token.subject == UserID("user-7"))
    #expect(token.sessionID == "s-1")
    #expect(token.issuedAt?.timeIntervalSince1970 == 100)
    #expect(token.expiresAt?.timeIntervalSince1970 == 1000)
  }

  @Test(arguments: ["opaque-session-id", "two.parts", ""])
  func `a token that is no JWT is a token all the same`(text: String) {
    let token = AccessToken(Secret(text))
    #expect(token.secret == Secret(text))
    #expect(token.expiresAt == nil)
    #expect(token.issuedAt == nil)
    #expect(token.subject == nil)
    #expect(token.sessionID == nil)
  }

  @Test func `equal secrets are equal tokens with equal hashes`() {
    let token = TokenFixtures.jwt(expiresAt: 1000)
    #expect(AccessToken(token) == AccessToken(token))
    #expect(AccessToken(token).hashValue == AccessToken(token).hashValue)
    #expect(AccessToken(token) != AccessToken(TokenFixtures.jwt(expiresAt: 1001)))
    #expect(Set([AccessToken(Secret("a")), AccessToken(Secret("b"))]).count == 2)
  }

  @Test func `R9: no printing shows the token`() {
    let token = TokenFixtures.jwt(expiresAt: 1000)
    for printout in printouts(of: AccessToken(token)) {
      #expect(!printout.contains(token.reveal()))
      #expect(!printout.contains(token.reveal().prefix(20)))
      #expect(!printout.contains(token.reveal().suffix(7)))
    }
  }
}
