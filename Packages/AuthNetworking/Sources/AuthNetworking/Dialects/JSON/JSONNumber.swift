/// A JSON number with the digits that it was written with, so that ids beyond 2^53 and prices
/// such as `1.10` are printed as they came.
public struct JSONNumber: Hashable, Sendable {
  /// The number as it stands in JSON.
  public let literal: String

  /// An integer.
  public init(_ value: some FixedWidthInteger) { literal = String(value) }

  /// A finite number, or nil for what JSON cannot write.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    let text = "\(value)"
    literal = text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// The parser's: digits that are a JSON number already.
  init(literal: String) { self.literal = literal }

  /// The integer, or nil where this is none, or none that fits.
  ///
  /// `1.0` and `1e3` are none.
  public func integer<Value: FixedWidthInteger>(as type: Value.Type = Int.self) -> Value? {
    Value(literal)
  }

  /// Whether it is written as an integer, of whatever size.
  public var isInteger: Bool { !literal.utf8.contains { ".eE".utf8.contains($0) } }

  /// The nearest `Double`; nil where the number is beyond its range.
  public var double: Double? {
    guard let value = Double(literal), value.isFinite else { return nil }
    return value
  }
}
