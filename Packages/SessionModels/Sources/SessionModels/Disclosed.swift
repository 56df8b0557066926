/// A value that may be withheld: the three states of `grade` and `school`.
///
/// The backend leaves the key out for a viewer who may not see it, sends `null` where nothing
/// is on file, and the value otherwise. A model that loses one of the three is wrong.
public enum Disclosed<Value> {
  /// Not for this viewer: the key was missing.
  case hidden
  /// Nothing on file: `null`.
  case none
  /// What is on file.
  case value(Value)

  /// The value where there is one; ``hidden`` and ``none`` alike give nil.
  public var value: Value? {
    if case .value(let value) = self { value } else { nil }
  }
}

extension Disclosed: Sendable where Value: Sendable {}
extension Disclosed: Equatable where Value: Equatable {}
extension Disclosed: Hashable where Value: Hashable {}

extension KeyedDecodingContainer {
  /// Reads the three states: key missing, `null`, value.
  ///
  /// - Throws: `DecodingError` where a value is there that is no `Value`.
  public func decodeDisclosed<Value: Decodable>(
    _ type: Value.Type,
    forKey key: Key
  ) throws -> Disclosed<Value> {
    guard contains(key) else { return .hidden }
    if try decodeNil(forKey: key) { return .none }
    return .value(try decode(type, forKey: key))
  }
}

extension KeyedEncodingContainer {
  /// Writes the three states: nothing, `null`, value.
  ///
  /// - Throws: `EncodingError` of the encoder.
  public mutating func encodeDisclosed<Value: Encodable>(
    _ disclosed: Disclosed<Value>,
    forKey key: Key
  ) throws {
    switch disclosed {
    case .hidden: break
    case .none: try encodeNil(forKey: key)
    case .value(let value): try encode(value, forKey: key)
    }
  }
}
