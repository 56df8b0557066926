#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Instants on the wire: RFC 3339, with or without fractional seconds.
public enum Instant {
  /// The instant that a text names, or nil where it is none.
  ///
  /// Accepts any number of fractional digits and any numeric offset; a leap second (`:60`) is
  /// taken for the following second. It is kept to the millisecond, so that an instant that was
  /// written with ``text(of:)`` and read again is the same.
  public static func date(parsing text: String) -> Date? {
    var scanner = InstantScanner(text)
    return scanner.scan()
  }

  /// The instant as UTC text, such as `2026-04-17T10:00:00Z`, with milliseconds where it has any.
  ///
  /// Dates outside the years 1 to 9999 are moved to the nearest of them.
  public static func text(of date: Date) -> String {
    let lowest = -62_135_596_800_000.0
    let highest = 253_402_300_799_999.0
    let raw = date.timeIntervalSince1970 * 1000
    let milliseconds = Int64(raw.isNaN ? 0 : min(max(raw.rounded(), lowest), highest))
    let seconds = milliseconds.flooredDivision(by: 1000)
    let fraction = milliseconds - seconds * 1000
    let days = seconds.flooredDivision(by: 86_400)
    let rest = seconds - days * 86_400
    let day = CalendarDate(daysSinceEpoch: Int(days))
    let time = [rest / 3600, rest / 60 % 60, rest % 60].map { padded($0, 2) }
    let suffix = fraction == 0 ? "Z" : ".\(padded(fraction, 3))Z"
    return "\(day)T\(time.joined(separator: ":"))\(suffix)"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension Int64 {
  fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

/// Reads one RFC 3339 instant, byte by byte.
private struct InstantScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  mutating func scan() -> Date? {
    guard let year = number(4), take("-"), let month = number(2), take("-"),
      let day = number(2), take("T", "t", " "),
      let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60, take(":"),
      let second = number(2), second <= 60,
      let date = CalendarDate(year: year, month: month, day: day),
      let fraction = fraction(), let offset = offset(), rest.isEmpty
    else { return nil }
    let seconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second - offset
    return Date(
      timeIntervalSince1970: (Double(seconds) * 1000 + (fraction * 1000).rounded()) / 1000
    )
  }

  private mutating func take(_ characters: Character...) -> Bool {
    guard let first = rest.first, characters.contains(where: { $0.asciiValue == first }) else {
      return false
    }
    rest.removeFirst()
    return true
  }

  private mutating func digit() -> Int? {
    guard let first = rest.first, first >= 48, first <= 57 else { return nil }
    rest.removeFirst()
    return Int(first) - 48
  }

  private mutating func number(_ digits: Int) -> Int? {
    var value = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// The fraction of a second, 0 where there is none, nil where a point has no digit after it.
  private mutating func fraction() -> Double? {
    guard take(".", ",") else { return 0 }
    guard let first = digit() else { return nil }
    var value = Double(first) / 10
    var scale = 0.01
    while let digit = digit() {
      value += Double(digit) * scale
      scale /= 10
    }
    return value
  }

  /// Seconds east of Greenwich.
  private mutating func offset() -> Int? {
    if take("Z", "z") { return 0 }
    let sign = rest.first == UInt8(ascii: "-") ? -1 : 1
    guard take("+", "-"), let hours = number(2), hours < 24, take(":"), let minutes = number(2),
      minutes < 60
    else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}
