/// What a repair made of a damaged store.
public struct StoreRepair: Equatable, Sendable {
  /// How many values are authentic, the last ones written, and readable now.
  public let readable: Int
  /// What is lost, sorted: keys of the user's namespace, and the rest in angle brackets.
  ///
  /// `<session>` says that nobody is signed in any more, `<namespace N> KEY` names a value of
  /// another namespace, `<namespace N>: 3 values` counts those whose names are lost as well, and
  /// `<changes after N>` that the last commits are missing.
  public let lost: [String]
  /// Where the damaged files were copied to; nil where nothing was damaged and nothing changed.
  public let aside: String?

  /// A repair from its parts.
  public init(readable: Int, lost: [String], aside: String?) {
    self.readable = readable
    self.lost = lost
    self.aside = aside
  }
}
