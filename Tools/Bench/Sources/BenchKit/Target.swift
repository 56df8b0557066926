/// A bound that one figure of a measurement should keep.
package struct Target: Sendable, CustomStringConvertible {
  /// Which figure.
  package enum Figure: String, Sendable {
    case value
    case p50
    case p99
    case ratio
  }

  private let figure: Figure
  private let bound: Double
  private let isFloor: Bool

  /// A figure that should not be above a bound.
  package static func atMost(_ bound: Double, _ figure: Figure) -> Target {
    Target(figure: figure, bound: bound, isFloor: false)
  }

  /// A figure that should not be below a bound.
  package static func atLeast(_ bound: Double, _ figure: Figure) -> Target {
    Target(figure: figure, bound: bound, isFloor: true)
  }

  func isReached(by figures: [Figure: Double?]) -> Bool {
    guard let found = figures[figure], let found else { return false }
    return isFloor ? found >= bound : found <= bound
  }

  /// `p50 <= 150`.
  package var description: String {
    let number = bound == bound.rounded() ? "\(Int(bound))" : "\(bound)"
    return "\(figure.rawValue) \(isFloor ? ">=" : "<=") \(number)"
  }
}
