import Testing

@testable import GRPC

@Suite struct CodingTests {
  @Test(arguments: [
    ("", ""), ("plain text", "plain text"), ("100%", "100%25"), ("ö", "%C3%B6"), ("a\nb", "a%0Ab"),
  ])
  func `a message is percent-encoded and comes back`(text: String, encoded: String) {
    #expect(PercentCoding.encode(text) == encoded)
    #expect(PercentCoding.decode(encoded) == text)
  }

  @Test(arguments: [
    ("%", "%"), ("abc%", "abc%"), ("abc%4", "abc%4"), ("%zz", "%zz"), ("%C3", "\u{FFFD}"),
    ("%41%", "A%"), ("%%41", "%A"),
  ])
  func `anything can be percent-decoded`(encoded: String, text: String) {
    #expect(PercentCoding.decode(encoded) == text)
  }

  @Test func `bytes of every length survive base64`() {
    for length in 0..<70 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
  }

  @Test(arguments: [
    ("Zg", [0x66]), ("Zg==", [0x66]), ("Zm8=", [0x66, 0x6F]), ("+/+/", [251, 255, 191]),
  ])
  func `base64 is taken with and without padding`(text: String, bytes: [UInt8]) {
    #expect(Base64.decode(text) == bytes)
  }

  @Test(arguments: ["Z", "Zg=", "Z===", "Zm9v Zg", "-_-_", "Zg==="])
  func `what is no base64 is refused`(text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test(arguments: [
    (Duration.seconds(1), "1000000u"), (.nanoseconds(1), "1n"), (.zero, "1n"),
    (.seconds(-5), "1n"), (.seconds(100), "100000m"), (.milliseconds(99_999_999), "99999999m"),
    (.seconds(100_000), "100000S"), (.seconds(Int64.max), "99999999H"),
    (.nanoseconds(100_000_001), "100001u"),
  ])
  func `a time-out has at most 8 digits and is never shorter than asked`(
    duration: Duration,
    text: String
  ) throws {
    #expect(GRPCTimeout.encode(duration) == text)
    let decoded = try #require(GRPCTimeout.decode(text))
    #expect(decoded >= min(duration, .seconds(99_999_999 * 3600)))
  }

  @Test(arguments: ["", "S", "1", "123456789S", "-1S", "1.5S", "1X", "١S"])
  func `a malformed time-out is refused`(text: String) {
    #expect(GRPCTimeout.decode(text) == nil)
  }
}
