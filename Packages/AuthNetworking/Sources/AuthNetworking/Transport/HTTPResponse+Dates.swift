#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HTTPResponse {
  /// What the server's clock showed (`Date`), or nil where it does not say so: the samples that
  /// R11 learns the clock offset from.
  public var serverDate: Date? { headers["Date"].flatMap(HTTPDate.date(parsing:)) }

  /// How long the server asks to wait by `Retry-After` (R12).
  ///
  /// A date is measured from the answer's own `Date`, so that no clock has to agree with the
  /// server's; without one, from ``receivedAt``.
  ///
  /// - Parameter now: the server's time as far as known, for an answer with neither; nil where
  ///   unknown: a date is then not understood.
  /// - Returns: 0 to ``longestRetryAfter``; nil where the server does not ask, or not
  ///   understandably.
  public func retryAfter(now: Date? = nil) -> Duration? {
    guard let text = headers["Retry-After"] else { return nil }
    let words = text.split { $0 == " " || $0 == "\t" }
    // Digits and nothing else (RFC 9110, section 10.2.3); what overflows is a long time.
    if words.count == 1,
      words[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    {
      return HTTPResponse.capped(Double(words[0]) ?? .infinity)
    }
    guard let date = HTTPDate.date(parsing: text), let now = serverDate ?? receivedAt ?? now
    else { return nil }
    return HTTPResponse.capped(date.timeIntervalSince(now))
  }

  /// The longest time that a server is believed.
  public static let longestRetryAfter: Duration = .seconds(3600)

  private static func capped(_ seconds: Double) -> Duration {
    let longest = Double(longestRetryAfter.components.seconds)
    return .milliseconds(Int64(min(max(seconds.isNaN ? 0 : seconds, 0), longest) * 1000))
  }
}
