/// Any JSON value (RFC 8259), as bodies hold them: to look into, and to print again.
///
/// Numbers keep the digits that they were written with, objects the order of their members.
public enum JSONValue: Equatable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number.
  case number(JSONNumber)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object(JSONObject)

  /// Reads one JSON text, or nil where the bytes are none: not UTF-8, cut short, followed by
  /// something else, nested deeper than 256.
  ///
  /// Of members with the same name the last one counts. Half a surrogate pair becomes U+FFFD. A
  /// byte order mark is skipped.
  public init?(parsing bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard let value = bytes.withUnsafeBufferPointer({ JSONParser.value(of: $0) }) else {
      return nil
    }
    self = value
  }

  /// The member of an object; nil where there is none, or this is no object.
  public subscript(name: String) -> JSONValue? { object?[name] }

  /// The element of an array; nil where there is none, or this is no array.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The string, or nil where this is none.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The truth value, or nil where this is none.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The number, or nil where this is none.
  public var number: JSONNumber? { if case .number(let number) = self { number } else { nil } }

  /// The elements, or nil where this is no array.
  public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

  /// The object, or nil where this is none.
  public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

  /// Whether this is `null`.
  public var isNull: Bool { self == .null }
}

// Not by `nil`: that would make `null` out of every absent value by accident.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }

  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// A number.
  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }

  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// An object; of equal names the last one counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements))
  }
}
