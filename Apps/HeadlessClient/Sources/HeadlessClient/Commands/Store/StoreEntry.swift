internal import AuthNetworking
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A key and its value as a JSON line: text where it is UTF-8, else base64.
enum StoreEntry {
  static func json(key: String, value: [UInt8]) -> JSONValue {
    let text = String(validating: value, as: UTF8.self)
    return .members([
      "key": .string(key),
      "value": text.map(JSONValue.string),
      "base64": text == nil ? .string(Data(value).base64EncodedString()) : nil,
    ])
  }

  /// The entry for people, on one line.
  static func text(key: String, value: [UInt8]) -> String {
    guard let text = String(validating: value, as: UTF8.self) else {
      return "\(Printable.text(key))  (\(Counted.text(value.count, "byte")))"
    }
    return "\(Printable.text(key))  \(Printable.text(text))"
  }
}
