import SessionModelsTesting
import Testing

@testable import SessionModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct JWTClaimsTests {
  private func read(_ token: Secret) -> JWTClaims? {
    token.withBytes { JWTClaims(token: $0) }
  }

  @Test(arguments: [
    ("1700000000", 1_700_000_000), ("1700000000.5", 1_700_000_000.5),
    (#""1700000000""#, 1_700_000_000), (#""1700000000.5""#, 1_700_000_000.5),
    ("1.7e9", 1_700_000_000), ("1", 1), ("253402300799", 253_402_300_799),
  ])
  func `a NumericDate is read as number and as string`(json: String, seconds: Double) {
    for key in ["exp", "iat"] {
      let claims = read(TokenFixtures.jwt(payload: #"{"\#(key)":\#(json)}"#))
      #expect(
        (key == "exp" ? claims?.expiresAt : claims?.issuedAt)?.timeIntervalSince1970 == seconds
      )
    }
  }

  @Test(arguments: [
    "1e300", "1e400", "-1e400", "9223372036854775808", "18446744073709551616", "-1", "-0.0", "0",
    "253402300800", "1700000000000", "null", "true", "{}", "[]", "[1700000000]", #""""#,
    #""soon""#, #""nan""#, #""inf""#, #""-inf""#, #""1e300""#, #"" 1700000000""#, #""1700000000 ""#,
    String(repeating: "9", count: 5000),
  ])
  func `R11: what no calendar holds is nil, without a trap and without hiding other claims`(
    json: String
  ) {
    let claims = read(TokenFixtures.jwt(payload: #"{"exp":\#(json),"sub":"user-1"}"#))
    #expect(claims?.expiresAt == nil)
    #expect(claims?.subject == UserID("user-1"))
  }

  @Test func `claims that are missing are nil`() throws {
    let claims = try #require(read(TokenFixtures.jwt(payload: "{}")))
    #expect(claims.expiresAt == nil)
    #expect(claims.issuedAt == nil)
    #expect(claims.subject == nil)
    #expect(claims.sessionID == nil)
  }

  @Test func `subject and session id are strings or numbers`() {
    let claims = read(TokenFixtures.jwt(payload: #"{"sub":42,"sid":7}"#))
    #expect(claims?.subject == UserID("42"))
    #expect(claims?.sessionID == "7")
  }

  @Test(arguments: [
    "", ".", "..", "...", "opaque", "a.b", "e30.e30", "e30.e30.c.d", "e30.e30.e30.e30.e30",
    "e30.Q.c", "e30.!!.c", "e30..c", "e30.bm90IGpzb24.c", "e30.W10.c", "e30.bnVsbA.c",
    "e30.\(String(repeating: "A", count: 70_000)).c", "\0.\0.\0", "é.ü.ß",
    "e30.\(TokenFixtures.base64URL(String(repeating: "[", count: 40_000))).c",
  ])
  func `what is no JWT has no claims, and traps nothing`(token: String) {
    #expect(read(Secret(token)) == nil)
  }

  @Test(arguments: ["", "=", "=="])
  func `the payload is read with padding and without`(padding: String) {
    // These texts need 0, 1 and 2 characters of padding, and hold `-` and `_`.
    let spaces = String(repeating: " ", count: padding.count)
    let payload = TokenFixtures.base64URL(#"{"sub":"???>>>~~~","exp":1700000000}\#(spaces)"#)
    let claims = read(Secret("e30.\(payload)\(padding).c2ln"))
    #expect(payload.contains("_") || payload.contains("-"))
    #expect(claims?.subject == UserID("???>>>~~~"))
    #expect(claims?.expiresAt?.timeIntervalSince1970 == 1_700_000_000)
  }

  @Test func `the standard alphabet is read as well`() {
    let payload = TokenFixtures.base64URL(#"{"sub":"???>>>~~~"}"#)
      .replacing("-", with: "+").replacing("_", with: "/")
    #expect(read(Secret("e30.\(payload).c2ln"))?.subject == UserID("???>>>~~~"))
  }

  @Test func `a signature may be missing`() {
    #expect(read(Secret("e30.e30.")) != nil)
  }

  @Test func `bytes that are no text trap nothing`() {
    #expect(read(Secret(bytes: [0xFF, 0x2E, 0xFE, 0x2E, 0xFD])) == nil)
  }
}
