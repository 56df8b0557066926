/// A refresh that was caused by a 401 to a token that should still have lived, kept so that all
/// processes together stay within a budget (R12).
public struct ForcedRefresh: Equatable, Sendable, Codable {
  /// When, by the device's clock, in seconds since 1970.
  public var at: Double
  /// Whether the refused token had never been accepted by any request.
  public var isFruitless: Bool

  /// A refresh from its parts.
  public init(at: Double, isFruitless: Bool) {
    self.at = at
    self.isFruitless = isFruitless
  }
}
