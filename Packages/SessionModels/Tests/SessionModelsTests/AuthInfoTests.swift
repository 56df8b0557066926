import SessionModels
import SessionModelsTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct AuthInfoTests {
  @Test func `what is stored is what was there`() throws {
    let info = AuthInfoFixtures.signedIn()
    #expect(try decode(AuthInfo.self, encode(info)) == info)
  }

  @Test func `what is not there is not stored`() throws {
    let info = AuthInfo(
      session: Session(accessToken: nil, refreshToken: nil, userID: UserID("7")),
      dialect: .ksn,
      tokenModel: .opaque,
      baseURL: "http://localhost:3001",
      deviceID: .mobileApp
    )
    #expect(
      try encode(info)
        == #"{"baseURL":"http://localhost:3001","deviceID":"mobile-app","dialect":"ksn","#
        + #""tokenModel":"opaque","userID":"7"}"#
    )
    #expect(try decode(AuthInfo.self, encode(info)) == info)
  }

  @Test func `keys of a newer build are ignored, its dialects are kept`() throws {
    let info = try decode(
      AuthInfo.self,
      #"{"baseURL":"https://a","deviceID":"d","dialect":"newer","tokenModel":"opaque","#
        + #""userID":42,"newer":{}}"#
    )
    #expect(info.dialect.rawValue == "newer")
    #expect(info.session.userID == UserID("42"))
    #expect(try decode(AuthInfo.self, encode(info)) == info)
  }

  @Test(arguments: [
    "", "{}", "[]", "null", #"{"userID":"7"}"#,
    #"{"baseURL":"a","deviceID":"d","dialect":"ksn","tokenModel":"unheard-of","userID":"7"}"#,
    #"{"baseURL":"a","deviceID":"d","dialect":"ksn","tokenModel":"opaque","userID":"7","#
      + #""refreshToken":5}"#,
  ])
  func `what is incomplete is an error`(json: String) {
    #expect(throws: DecodingError.self) { try decode(AuthInfo.self, json) }
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan])
  func `an absurd expiry does not keep a session from being stored`(seconds: Double) throws {
    var info = AuthInfoFixtures.signedIn()
    info.accessTokenExpiresAt = Date(timeIntervalSince1970: seconds)
    info.accessTokenLifetime = seconds
    let stored = try decode(AuthInfo.self, encode(info))
    #expect(stored.session == info.session)
    #expect(stored.accessTokenExpiresAt == nil)
    #expect(stored.accessTokenLifetime == nil)
  }

  @Test func `R9: no printing shows any of its secrets`() {
    for printout in printouts(of: AuthInfoFixtures.signedIn()) {
      for secret in AuthInfoFixtures.secrets {
        #expect(!printout.contains(secret))
        #expect(!printout.contains(secret.suffix(7)))
      }
    }
  }

  @Test func `R9: an error of decoding quotes no secret`() throws {
    let json = try encode(AuthInfoFixtures.signedIn())
      .replacing(#""userID":"user-1""#, with: #""userID":{}"#)
    let error = #expect(throws: DecodingError.self) { try decode(AuthInfo.self, json) }
    for secret in AuthInfoFixtures.secrets {
      #expect(!"\(error as Any)".contains(secret))
    }
  }
}
