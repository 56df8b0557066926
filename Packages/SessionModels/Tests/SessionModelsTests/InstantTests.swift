import SessionModels
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct InstantTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2026-04-17T10:00:00Z", 1_776_420_000),
    ("2026-04-17t10:00:00z", 1_776_420_000), ("2026-04-17 10:00:00Z", 1_776_420_000),
    ("2026-04-17T12:00:00+02:00", 1_776_420_000), ("2026-04-17T04:30:00-05:30", 1_776_420_000),
    ("2026-04-17T10:00:00-00:00", 1_776_420_000), ("2026-04-17T10:00:00.5Z", 1_776_420_000.5),
    ("2026-04-17T10:00:00.125Z", 1_776_420_000.125), ("2026-04-17T10:00:00.0Z", 1_776_420_000),
    ("2026-04-17T10:00:00.123456789Z", 1_776_420_000.123),
    ("2026-04-17T10:00:00.9996Z", 1_776_420_001), ("2026-04-17T10:00:00,25Z", 1_776_420_000.25),
    ("2016-12-31T23:59:60Z", 1_483_228_800), ("2017-01-01T00:00:00Z", 1_483_228_800),
    ("1969-12-31T23:59:59.75Z", -0.25), ("0001-01-01T00:00:00Z", -62_135_596_800),
    ("9999-12-31T23:59:59Z", 253_402_300_799), ("2024-02-29T00:00:00Z", 1_709_164_800),
  ])
  func `RFC 3339, with fractions or without, in any zone`(text: String, seconds: Double) {
    #expect(Instant.date(parsing: text)?.timeIntervalSince1970 == seconds)
  }

  @Test func `a fraction may have any number of digits`() {
    let digits = "5" + String(repeating: "0", count: 5000)
    let date = Instant.date(parsing: "2026-04-17T10:00:00.\(digits)Z")
    #expect(date?.timeIntervalSince1970 == 1_776_420_000.5)
  }

  @Test(arguments: [
    "", "2026-04-17", "2026-04-17T10:00:00", "2026-04-17T10:00Z", "2026-04-17T10:00:00.Z",
    "2026-04-17T24:00:00Z", "2026-04-17T10:60:00Z", "2026-04-17T10:00:61Z", "2026-02-30T10:00:00Z",
    "2026-13-17T10:00:00Z", "0000-04-17T10:00:00Z", "2026-04-17T10:00:00+24:00",
    "2026-04-17T10:00:00+02", "2026-04-17T10:00:00+0200", "2026-04-17T10:00:00+02:60",
    "2026-04-17T10:00:00ZZ", " 2026-04-17T10:00:00Z", "2026-04-17T10:00:00Z ", "1776420000",
    "2026-04-17T…", "２026-04-17T10:00:00Z", "2026-04-17T10:00:00é", "2026-4-17T10:00:00Z",
    "+026-04-17T10:00:00Z", "2026-04-17T10:00:00.-5Z", "2026-04-17\u{0}10:00:00Z",
  ])
  func `a text that names no instant is nil`(text: String) {
    #expect(Instant.date(parsing: text) == nil)
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (1_776_420_000, "2026-04-17T10:00:00Z"),
    (1_776_420_000.5, "2026-04-17T10:00:00.500Z"), (1_776_420_000.007, "2026-04-17T10:00:00.007Z"),
    (1_776_420_000.0004, "2026-04-17T10:00:00Z"), (1_776_420_000.9996, "2026-04-17T10:00:01Z"),
    (-0.25, "1969-12-31T23:59:59.750Z"), (-1, "1969-12-31T23:59:59Z"),
    (-86_400, "1969-12-31T00:00:00Z"), (-62_135_596_800, "0001-01-01T00:00:00Z"),
    (253_402_300_799.999, "9999-12-31T23:59:59.999Z"), (1e300, "9999-12-31T23:59:59.999Z"),
    (-1e300, "0001-01-01T00:00:00Z"), (.infinity, "9999-12-31T23:59:59.999Z"),
    (-.infinity, "0001-01-01T00:00:00Z"), (.nan, "1970-01-01T00:00:00Z"),
  ])
  func `an instant is UTC text, whatever the number`(seconds: Double, text: String) {
    #expect(Instant.text(of: Date(timeIntervalSince1970: seconds)) == text)
  }

  @Test func `what is written is read as it was, to the millisecond`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let range = -62_135_596_800_000...253_402_300_799_999
      let milliseconds = Int.random(in: range, using: &generator)
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      let text = Instant.text(of: date)
      #expect(Instant.date(parsing: text) == date, "\(milliseconds) ms, written \(text)")
    }
  }
}
