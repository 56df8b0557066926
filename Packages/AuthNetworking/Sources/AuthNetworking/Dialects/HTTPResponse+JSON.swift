extension HTTPResponse {
  /// The body as JSON; what is empty, HTML or otherwise no JSON is `{}`.
  public var json: JSONValue { JSONValue(parsing: body) ?? .object(JSONObject()) }

  /// Whether the status says that the request was carried out.
  public var isSuccess: Bool { (200...299).contains(status) }

  /// What the server says about a failure, on one line.
  ///
  /// `error`, else `message`, each only when it is a string that says something; where `error` is
  /// an object, its `message`; else `HTTP <status>`. Of more than 500 characters the first, without
  /// the word that the cut would go through.
  public var errorText: String { ServerText.short(wholeErrorText) }

  /// The same at whatever length: secrets are taken out of it before it is cut.
  var wholeErrorText: String { HTTPResponse.errorText(in: json) ?? "HTTP \(status)" }

  /// Where it redirects to, as the failure of what follows no redirect; without a query, which may
  /// hold secrets.
  var redirectText: String? {
    guard (300...399).contains(status), let place = headers["Location"] else { return nil }
    let shown = ServerText.line(String(place.prefix { $0 != "?" && $0 != "#" }))
    return "HTTP \(status): the server redirects to \(shown), which is not followed"
  }

  static func errorText(in body: JSONValue) -> String? {
    let candidates = [body["error"]?.string, body["error"]?["message"]?.string]
    return (candidates + [body["message"]?.string]).lazy
      .compactMap { $0.map(ServerText.line) }
      .first { !$0.isEmpty }
  }

  /// Text of a server, fit for a line of a terminal, and cut to 500 characters.
  static func oneLine(_ text: String) -> String { ServerText.short(ServerText.line(text)) }
}
