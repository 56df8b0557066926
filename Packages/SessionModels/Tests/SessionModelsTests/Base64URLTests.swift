import SessionModelsTesting
import Testing

@testable import SessionModels

@Suite struct Base64URLTests {
  @Test(
    arguments: [
      ("", []), ("_-8", [255, 239]), ("/+8=", [255, 239]), ("QQ", [65]), ("QQ==", [65]),
      ("QQ=", [65]), ("QUI", [65, 66]), ("QUI=", [65, 66]), ("QUJD", [65, 66, 67]),
      ("AAAA", [0, 0, 0]), ("____", [255, 255, 255]),
    ] as [(String, [UInt8])]
  )
  func `either alphabet, with padding or without`(text: String, bytes: [UInt8]) {
    #expect(Base64URL.decode(text.utf8) == bytes)
  }

  @Test(arguments: ["Q", "QUJDR", "Q Q", "QQ\n", "QQ===", "=QQ", "Q=Q", "QQ==QQ", "é", "QQ!", "\0"])
  func `what is none is nil`(text: String) {
    #expect(Base64URL.decode(text.utf8) == nil)
  }

  @Test(arguments: 0..<9)
  func `it reads what the fixtures write, whatever the length`(length: Int) {
    let text = String("\u{7F}~?>ä\u{0}zü".prefix(length))
    #expect(Base64URL.decode(TokenFixtures.base64URL(text).utf8) == Array(text.utf8))
  }
}
