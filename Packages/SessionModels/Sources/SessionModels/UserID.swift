/// The id of a user: a string always, also where a backend sends a number.
public struct UserID: RawRepresentable, Hashable, Sendable {
  /// The id as text, such as `"clx3…"` or `"42"`.
  public let rawValue: String

  /// An id from its text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// An id from its text.
  public init(_ text: String) { self.rawValue = text }
}

extension UserID: CustomStringConvertible {
  /// The id as text.
  public var description: String { rawValue }
}

extension UserID: Codable {
  /// Decodes a JSON string, or an integer as its decimal digits.
  ///
  /// - Throws: `DecodingError.typeMismatch` for everything else, a fraction included.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self.init(text)
    } else if let number = try? container.decode(Int64.self) {
      self.init(String(number))
    } else if let number = try? container.decode(UInt64.self) {
      self.init(String(number))
    } else {
      throw DecodingError.typeMismatch(
        UserID.self,
        .init(codingPath: decoder.codingPath, debugDescription: "neither a string nor an integer")
      )
    }
  }

  /// Encodes a string, always.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
