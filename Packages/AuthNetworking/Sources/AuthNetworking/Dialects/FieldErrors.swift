/// What a server says about single inputs, in any of the forms that backends use.
enum FieldErrors {
  /// The messages by the wire's names; empty where none are given.
  ///
  /// Each is a line of any length, and may quote a secret.
  ///
  /// Looks for `fields`, `details` and `errors`, beside `error` or inside it. Each may be an
  /// object (`{"email": "taken"}`, also with a list or an object as the value) or an array
  /// (`[{"field": "email", "message": "taken"}]`, also with `path`, `param` or `name`).
  static func read(_ body: JSONValue) -> [String: String] {
    for container in [body, body["error"]] {
      for name in ["fields", "details", "errors"] {
        guard let value = container?[name] else { continue }
        let fields = read(form: value)
        if !fields.isEmpty { return fields }
      }
    }
    return [:]
  }

  private static func read(form: JSONValue) -> [String: String] {
    var fields: [String: String] = [:]
    switch form {
    case .object(let object):
      for (name, value) in object { fields[ServerText.line(name)] = message(value) }
    case .array(let elements):
      for element in elements {
        guard let name = name(element), fields[name] == nil else { continue }
        fields[name] = message(element)
      }
    default: break
    }
    return fields
  }

  /// The field that an element of an array is about.
  ///
  /// A path such as `["body", "email"]` names
  /// its last part.
  private static func name(_ element: JSONValue) -> String? {
    for key in ["field", "path", "param", "name"] {
      let value = element[key]
      let name = value?.string ?? value?.array?.last { $0.string != nil }?.string
      if let name, !name.isEmpty { return ServerText.line(name) }
    }
    return nil
  }

  private static func message(_ value: JSONValue) -> String? {
    let text: String? =
      switch value {
      case .string(let text): text
      case .array(let elements): elements.lazy.compactMap(message).first
      case .object(let object):
        ["message", "msg", "error", "reason"].lazy.compactMap { object[$0]?.string }.first
      default: nil
      }
    return text.map(ServerText.line).flatMap { $0.isEmpty ? nil : $0 }
  }
}
