/// The `grpc-timeout` header: at most 8 digits and a unit.
enum GRPCTimeout {
  private static let units: [(letter: Character, attoseconds: Int128)] = [
    ("n", 1_000_000_000), ("u", 1_000_000_000_000), ("m", 1_000_000_000_000_000),
    ("S", 1_000_000_000_000_000_000), ("M", 60_000_000_000_000_000_000),
    ("H", 3_600_000_000_000_000_000_000),
  ]

  /// The finest form that fits, rounded up: never shorter than asked, never 0.
  static func encode(_ duration: Duration) -> String {
    let total = max(1, attoseconds(duration))
    for unit in units {
      let count = (total + unit.attoseconds - 1) / unit.attoseconds
      if count <= 99_999_999 { return "\(count)\(unit.letter)" }
    }
    return "99999999H"
  }

  /// The duration; nil for what is not of the form.
  static func decode(_ text: String) -> Duration? {
    let digits = text.dropLast()
    guard (1...8).contains(digits.count), digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let count = Int64(digits), let unit = units.first(where: { $0.letter == text.last })
    else { return nil }
    let total = Int128(count) * unit.attoseconds
    let second: Int128 = 1_000_000_000_000_000_000
    return Duration(
      secondsComponent: Int64(total / second),
      attosecondsComponent: Int64(total % second)
    )
  }

  private static func attoseconds(_ duration: Duration) -> Int128 {
    let (seconds, attoseconds) = duration.components
    return Int128(seconds) * 1_000_000_000_000_000_000 + Int128(attoseconds)
  }
}
