internal import AuthNetworking

extension JSONValue {
  /// The value over several lines, for people.
  var indented: String { indented(by: "") }

  private func indented(by margin: String) -> String {
    let inner = margin + "  "
    switch self {
    case .array(let elements) where !elements.isEmpty:
      let lines = elements.map { inner + $0.indented(by: inner) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(margin)]"
    case .object(let object) where !object.names.isEmpty:
      let lines = object.map { name, value in
        "\(inner)\(JSONValue.string(name).text): \(value.indented(by: inner))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(margin)}"
    default: return text
    }
  }
}
