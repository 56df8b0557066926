/// What an import has brought.
public struct ImportOutcome: Equatable, Sendable {
  /// How many values of the source are in this store now.
  public let values: Int
  /// Whether the session came along.
  public let movedSession: Bool

  /// An outcome from its parts.
  public init(values: Int, movedSession: Bool) {
    self.values = values
    self.movedSession = movedSession
  }
}
