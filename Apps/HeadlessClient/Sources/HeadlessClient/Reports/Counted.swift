/// A number with what it counts, in the singular for one.
enum Counted {
  /// `1 value`, `2 values`.
  static func text(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
