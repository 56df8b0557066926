#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import SessionModels

/// Dates in header fields (RFC 9110, section 5.6.7), without locale, formatter or clock.
public enum HTTPDate {
  /// The instant that a text names, or nil where it is none.
  ///
  /// Reads the preferred form (`Sun, 06 Nov 1994 08:49:37 GMT`) and both obsolete ones
  /// (`Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`). The day of the week is not
  /// checked. Years of two digits are 1970 to 2069.
  public static func date(parsing text: String) -> Date? {
    if let date = preferred(text) { return date }
    let words = text.utf8.split { " ,-".utf8.contains($0) }.map { Substring($0) }
    switch words.count {
    case 6 where words[5].lowercased() == "gmt" || words[5].lowercased() == "utc":
      return date(year: words[3], month: words[2], day: words[1], time: words[4])
    case 5: return date(year: words[4], month: words[1], day: words[2], time: words[3])
    default: return nil
    }
  }

  /// The preferred form, where every letter has its place: each answer has such a date, and hardly
  /// a server writes another one.
  private static func preferred(_ text: String) -> Date? {
    text.utf8.withContiguousStorageIfAvailable { bytes -> Date? in
      guard bytes.count == 29, bytes[3] == UInt8(ascii: ","), bytes[19] == UInt8(ascii: ":"),
        bytes[22] == UInt8(ascii: ":"), bytes[4] == 0x20, bytes[7] == 0x20, bytes[11] == 0x20,
        bytes[16] == 0x20, bytes[25] == 0x20, bytes[26...].elementsEqual("GMT".utf8),
        let month = monthKeys.firstIndex(of: key(ofMonth: bytes[8..<11])),
        let day = number(bytes[5..<7]), let year = number(bytes[12..<16]),
        let hour = number(bytes[17..<19]), let minute = number(bytes[20..<22]),
        let second = number(bytes[23..<25]), hour < 24, minute < 60, second <= 60,
        let date = CalendarDate(year: year, month: month + 1, day: day)
      else { return nil }
      let seconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second
      return Date(timeIntervalSince1970: Double(seconds))
    } ?? nil
  }

  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    var number = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return number
  }

  /// The three letters of a month, in lower case, as one number.
  private static func key(ofMonth name: some Sequence<UInt8>) -> UInt32 {
    name.reduce(0) { $0 << 8 | UInt32($1 | 0x20) }
  }

  private static let monthKeys = months.map { key(ofMonth: $0.utf8) }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  private static func date(
    year: Substring,
    month: Substring,
    day: Substring,
    time: Substring
  ) -> Date? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
    guard let month = months.firstIndex(of: month.lowercased()),
      var fullYear = number(year, digits: 4), let day = number(day), clock.count == 3,
      let hour = clock[0], let minute = clock[1], let second = clock[2],
      hour < 24, minute < 60, second <= 60
    else { return nil }
    if year.utf8.count <= 2 { fullYear += fullYear < 70 ? 2000 : 1900 }
    guard let date = CalendarDate(year: fullYear, month: month + 1, day: day) else { return nil }
    let seconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second
    return Date(timeIntervalSince1970: Double(seconds))
  }

  private static func number(_ text: Substring, digits: Int = 2) -> Int? {
    let isNumber = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return isNumber && (1...digits).contains(text.utf8.count) ? Int(text) : nil
  }
}
