/// A distance in time as people say it.
enum RelativeTime {
  /// The distance from now, as `in 14 min` or `3 h ago`.
  static func text(seconds: Double) -> String {
    guard seconds.isFinite else { return "at an unknown time" }
    let distance = abs(seconds)
    let amount =
      switch distance {
      case ..<1: "a moment"
      case ..<120: "\(Int(distance)) s"
      case ..<7200: "\(Int(distance / 60)) min"
      case ..<172_800: "\(Int(distance / 3600)) h"
      default: "\(Int(min(distance / 86_400, 1_000_000))) days"
      }
    return seconds >= 0 ? "in \(amount)" : "\(amount) ago"
  }
}
