#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension JSONValue {
  /// The value of a UTF-8 text; nil where it is no JSON, or no UTF-8.
  init?(parsing bytes: [UInt8]) {
    guard TextEncodingFault(bytes) == nil,
      let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    else { return nil }
    self = value
  }
}

extension JSONValue: Decodable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let elements = try? container.decode([JSONValue].self) {
      self = .array(elements)
    } else {
      let members = try container.decode([String: JSONValue].self)
      // The decoder forgets the order, so that one is made: equal texts give equal values.
      self = .object(
        members.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: $0.value) }
      )
    }
  }
}
