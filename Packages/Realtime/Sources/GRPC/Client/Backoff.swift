/// The pauses between attempts: they double, within bounds, and are spread by chance so that a
/// thousand clients do not come back in the same second.
public struct Backoff: Equatable, Sendable {
  private let first: Duration
  private let longest: Duration
  private var failures = 0

  /// Pauses from `first`, doubling to `longest`.
  public init(first: Duration = .seconds(1), longest: Duration = .seconds(30)) {
    self.first = first
    self.longest = longest
  }

  /// The pause after one more failure.
  ///
  /// - Parameter chance: 0 to 1, where 0 takes a fifth off and 1 adds a fifth.
  /// - Returns: the pause.
  public mutating func next(chance: Double) -> Duration {
    let doubled = first * Double(1 << min(failures, 20))
    failures += 1
    return min(doubled, longest) * (0.8 + 0.4 * chance)
  }

  /// Starts again from the first pause.
  public mutating func reset() { failures = 0 }
}
