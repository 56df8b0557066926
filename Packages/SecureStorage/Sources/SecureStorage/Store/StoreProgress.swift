/// How far a long piece of work has come.
public struct StoreProgress: Equatable, Sendable {
  /// How many values are done.
  public let done: Int
  /// How many there were at the start.
  public let total: Int

  /// A step from its parts.
  public init(done: Int, total: Int) {
    self.done = done
    self.total = total
  }
}
