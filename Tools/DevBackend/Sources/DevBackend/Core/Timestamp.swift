/// Instants as text, without a formatter (those pull ICU into the executable).
enum Timestamp {
  /// RFC 3339 with milliseconds, in UTC: `2026-04-17T10:11:12.345Z`.
  static func rfc3339(_ milliseconds: Int64) -> String {
    let date = CivilDate(milliseconds: milliseconds)
    let time = TimeOfDay(milliseconds)
    return "\(date.text)T\(time.text).\(time.millisecond.padded(3))Z"
  }

  /// The form of the `Date` header (RFC 9110, IMF-fixdate): `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func http(_ milliseconds: Int64) -> String {
    let date = CivilDate(milliseconds: milliseconds)
    // 1 January 1970 was a Thursday.
    let days = milliseconds.flooredQuotient(86_400_000)
    let weekday = weekdays[Int(((days + 4) % 7 + 7) % 7)]
    return "\(weekday), \(date.day.padded(2)) \(months[date.month - 1]) \(date.year.padded(4))"
      + " \(TimeOfDay(milliseconds).text) GMT"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private struct TimeOfDay {
    let second: Int
    let millisecond: Int

    init(_ milliseconds: Int64) {
      let ofDay = milliseconds - milliseconds.flooredQuotient(86_400_000) * 86_400_000
      (second, millisecond) = (Int(ofDay / 1_000), Int(ofDay % 1_000))
    }

    var text: String {
      "\((second / 3_600).padded(2)):\((second / 60 % 60).padded(2)):\((second % 60).padded(2))"
    }
  }
}
