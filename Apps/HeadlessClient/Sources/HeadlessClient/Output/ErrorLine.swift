internal import AuthNetworking

/// An error as it is printed: one line, for people or for programs, without secrets (R9).
struct ErrorLine {
  private let error: ClientError

  /// The line of an error, everything in it redacted.
  init(_ error: ClientError, redactor: Redactor) {
    var safe = error
    safe.message = Printable.text(redactor.redact(error.message))
    safe.advice = error.advice.map { Printable.text(redactor.redact($0)) }
    safe.fields = error.fields.map { field in
      ClientError.Field(
        name: redactor.redact(field.name),
        message: redactor.redact(field.message)
      )
    }
    self.error = safe
  }

  /// For people: message, fields, advice, and the request's id.
  var text: String {
    let request = error.requestID.map { " [request \($0)]" } ?? ""
    let wait = error.retryAfter.map { " (try again in \($0) s)" } ?? ""
    return Printable.text(error.description) + wait + request
  }

  /// For programs, as cli.md has it.
  var json: JSONValue {
    var message = error.message
    if let advice = error.advice {
      message += message.hasSuffix(".") ? " " : ". "; message += advice
    }
    let fields = JSONObject(error.fields.map { ($0.name, .string($0.message)) })
    return .members([
      "error": .members([
        "code": .string(error.code.rawValue),
        "message": .string(message),
        "status": error.status.map { .integer($0) },
        "fields": error.fields.isEmpty ? nil : .object(fields),
        "requestID": error.requestID.map { .string($0) },
        "retryAfter": error.retryAfter.map { .integer($0) },
      ])
    ])
  }
}
