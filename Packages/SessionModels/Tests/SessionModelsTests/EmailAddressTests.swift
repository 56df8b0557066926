import SessionModels
import Testing

@Suite struct EmailAddressTests {
  @Test(arguments: [
    "kid@example.com", "a@b.de", "first.last@example.co.uk", "a+tag@example.com",
    "o'hara@example.ie",
    "o&m@example.com", "UPPER@EXAMPLE.COM", "1@2.io", "a_b-c@d-e.org", "kid@xn--bcher-kva.example",
    "kid@example.xn--p1ai", "a@b.c.d.e.museum",
    String(repeating: "a", count: 64) + "@example.com",
  ])
  func `an address that can be is plausible`(text: String) {
    #expect(EmailAddress.isPlausible(text))
  }

  @Test(arguments: [
    "", "@", "kid", "kid@", "@example.com", "kid@example", "kid@@example.com", "kid@a@example.com",
    "kid@.com", "kid@example.", "kid@example..com", ".kid@example.com", "kid.@example.com",
    "k..d@example.com", "kid @example.com", " kid@example.com", "kid@example.com ",
    "kid@exa mple.com",
    "kid@-example.com", "kid@example-.com", "kid@example.c", "kid@example.123", "kid@127.0.0.1",
    "kid@[127.0.0.1]", "\"kid\"@example.com", "kid@example.com\n", "kid\u{0}@example.com",
    "kid@exam_ple.com", "kïd@example.com", "kid@exämple.com", "kid,a@example.com",
    String(repeating: "a", count: 65) + "@example.com",
    "a@" + String(repeating: "a", count: 64) + ".com",
    "a@" + String(repeating: "abcdefghi.", count: 26) + "com",
  ])
  func `an address that cannot be is not`(text: String) {
    #expect(!EmailAddress.isPlausible(text))
  }
}
