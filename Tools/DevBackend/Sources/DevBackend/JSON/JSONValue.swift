/// Any JSON value; an object keeps its members' order, so that answers read well.
enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  struct Member: Equatable, Sendable {
    let name: String
    let value: JSONValue
  }

  /// An object; a member whose value is nil is left out, `.null` is kept.
  static func of(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }

  /// A member of an object; nil where there is none, or this is no object.
  subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The string, where it is one.
  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The whole number, where it is one.
  var integer: Int64? {
    guard case .integer(let integer) = self else { return nil }
    return integer
  }

  /// Whether it is an object.
  var isObject: Bool {
    guard case .object = self else { return false }
    return true
  }

  /// A string, or null where there is none.
  static func stringOrNull(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
}
