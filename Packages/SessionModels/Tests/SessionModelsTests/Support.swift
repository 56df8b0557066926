import SessionModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads a value out of a JSON text, which may be a fragment.
func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
  try JSONDecoder().decode(type, from: Data(json.utf8))
}

/// Writes a value as JSON text with sorted keys.
func encode(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// An error that carries a value.
private struct Wrapping<Payload: Sendable>: Error {
  let payload: Payload
}

/// Every way in which a value may get into a log, a debugger or a crash report.
func printouts(of value: some Sendable) -> [String] {
  var dumped = ""
  dump(value, to: &dumped)
  dump(["key": [value]], to: &dumped)
  return [
    "\(value)", "\(Optional(value) as Any)", String(describing: value), String(reflecting: value),
    String(reflecting: Optional(value)), "\([value, value])", "\(["key": value])",
    "\((value, 1))", "\(Wrapping(payload: value))", String(reflecting: Wrapping(payload: value)),
    "\(Optional(Wrapping(payload: [value])) as Any)", dumped,
    mirrored(value, depth: 6),
  ]
}

/// Everything that mirrors show of a value, down to a depth.
private func mirrored(_ value: Any, depth: Int) -> String {
  guard depth > 0 else { return "" }
  return Mirror(reflecting: value).children.map { child in
    "\(child.label ?? "")=\(child.value);" + mirrored(child.value, depth: depth - 1)
  }.joined()
}
