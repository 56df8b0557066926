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
  ///
  /// - Parameters:
  ///   - key: its key.
  ///   - value: what it holds.
  ///   - keyWidth: the columns of the keys at a terminal, which the line fits then; nil elsewhere.
  ///   - width: the terminal's columns.
  /// - Returns: the line, cut at a terminal only.
  static func text(key: String, value: [UInt8], keyWidth: Int? = nil, width: Int = 80) -> String {
    let key = Printable.text(key)
    // More than fits need not be looked at: a value may have megabytes.
    let isCut = keyWidth != nil && value.count > 4 * width
    let looked = isCut ? String(decoding: value.prefix(4 * width), as: UTF8.self) : nil
    let text = String(validating: value, as: UTF8.self).map { Printable.text(looked ?? $0) }
    let shown = text ?? "(\(Counted.text(value.count, "byte")))"
    guard let keyWidth else { return "\(key)  \(shown)" }
    let cell = ScreenText.cut(key, to: keyWidth)
    let gap = String(repeating: " ", count: keyWidth - ScreenText.columns(of: cell) + 2)
    return cell + gap + ScreenText.cut(shown, to: max(8, width - keyWidth - 2))
  }
}
