package import AuthNetworking

extension JSONValue {
  /// An object of these members, in this order, without those that are nil.
  package static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(JSONObject(members.lazy.compactMap { name, value in value.map { (name, $0) } }))
  }

  /// A whole number.
  package static func integer(_ value: some FixedWidthInteger) -> JSONValue {
    .number(JSONNumber(value))
  }

  /// The same value with every string in it, names included, changed by a function.
  func mapStrings(_ change: (String) -> String) -> JSONValue {
    switch self {
    case .null, .bool, .number: self
    case .string(let text): .string(change(text))
    case .array(let elements): .array(elements.map { $0.mapStrings(change) })
    case .object(let object):
      .object(JSONObject(object.map { (change($0.name), $0.value.mapStrings(change)) }))
    }
  }
}
