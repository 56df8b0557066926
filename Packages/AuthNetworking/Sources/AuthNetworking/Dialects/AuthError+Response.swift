extension AuthError {
  /// The error that an answer is, when it is no success.
  ///
  /// ``retryAfter`` is nil where `Retry-After` is a date, the answer has no `Date` and nobody noted
  /// ``HTTPResponse/receivedAt``: ``HTTPResponse/retryAfter(now:)`` with the caller's clock knows
  /// more.
  public init(response: HTTPResponse) {
    let body = response.json
    let redactor = Redactor(cutsOpaqueTokens: true)
    self.init(
      AuthError.code(of: response.status),
      ServerText.short(redactor.redact(response.redirectText ?? response.wholeErrorText)),
      status: response.status,
      fields: FieldErrors.read(body).mapTexts { ServerText.short(redactor.redact($0)) },
      retryAfter: response.retryAfter()
    )
  }

  private static func code(of status: Int) -> Code {
    switch status {
    case 408: .timeout
    case 429: .rateLimited
    case 400...499, 600...: .rejected
    default: .server
    }
  }

  /// A 2xx that is not of its dialect's form, with what the server says about it, where it says
  /// something (`success: false` inside a 200).
  static func malformed(_ response: HTTPResponse, _ problem: String) -> AuthError {
    let said = HTTPResponse.errorText(in: response.json).map {
      ": " + ServerText.short(Redactor(cutsOpaqueTokens: true).redact($0))
    }
    return AuthError(.server, problem + (said ?? ""), status: response.status)
  }
}

extension [String: String] {
  /// The same with all texts changed, the names among them: they, too, are what a server sent.
  func mapTexts(_ change: (String) -> String) -> [String: String] {
    Dictionary(map { (change($0), change($1)) }) { first, _ in first }
  }
}
