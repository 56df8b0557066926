/// What opening every value of a store showed.
public struct StoreVerification: Equatable, Sendable {
  /// How many values are authentic and the last ones written.
  public let verified: Int
  /// The keys of the others, sorted.
  ///
  /// A part of the store that cannot be listed any more stands as `<namespace N>`, a row that
  /// belongs to nobody as `<row …>`.
  public let damaged: [String]

  /// An answer from its parts.
  public init(verified: Int, damaged: [String]) {
    self.verified = verified
    self.damaged = damaged
  }
}
