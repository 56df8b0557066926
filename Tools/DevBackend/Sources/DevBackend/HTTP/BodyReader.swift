/// Takes the fields out of a body, and collects what is wrong with them.
struct BodyReader {
  private let object: JSONValue
  private var faults: [FieldFault] = []

  /// Reads a body; an empty one is an object without members.
  ///
  /// - Throws: ``ServiceFailure/malformedBody(_:)`` where it is no JSON object in UTF-8.
  init(_ request: ServerRequest) throws {
    if request.body.isEmpty {
      object = .object([])
    } else if let value = JSONValue(parsing: request.body), value.isObject {
      object = value
    } else {
      throw ServiceFailure.malformedBody(TextEncodingFault(request.body))
    }
  }

  /// A string that must be there; empty where it is not, which ``check()`` then reports.
  mutating func required(
    _ name: String,
    _ rule: (String) -> String? = { $0.isEmpty ? "" : nil }
  ) -> String {
    guard let text = string(name, isRequired: true) else { return "" }
    if let problem = rule(text) {
      note(name, problem.isEmpty ? "\(name) is required" : problem)
    }
    return text
  }

  /// A string that may be missing or null.
  mutating func optional(_ name: String, _ rule: (String) -> String? = { _ in nil }) -> String? {
    guard let text = string(name, isRequired: false) else { return nil }
    if let problem = rule(text) { note(name, problem) }
    return text
  }

  mutating func note(_ name: String, _ problem: String) {
    faults.append(FieldFault(field: name, message: problem))
  }

  mutating func note(_ faults: [FieldFault]) { self.faults += faults }

  /// - Throws: ``ServiceFailure/validation(_:)`` where any field was wrong.
  func check() throws {
    if !faults.isEmpty { throw ServiceFailure.validation(faults) }
  }

  private mutating func string(_ name: String, isRequired: Bool) -> String? {
    switch object[name] {
    case .string(let text): return text
    case nil, .null:
      if isRequired { note(name, "\(name) is required") }
    default: note(name, "\(name) must be a string")
    }
    return nil
  }
}
