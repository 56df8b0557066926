extension HTTPResponse {
  /// The body as JSON; what is empty, HTML or otherwise no JSON is `{}`.
  public var json: JSONValue { JSONValue(parsing: body) ?? .object(JSONObject()) }

  /// Whether the status says that the request was carried out.
  public var isSuccess: Bool { (200...299).contains(status) }

  /// What the server says about a failure, on one line.
  ///
  /// `error`, else `message`, each only when it is a string that says something; where `error` is
  /// an object, its `message`; else `HTTP <status>`.
  public var errorText: String { HTTPResponse.errorText(in: json) ?? "HTTP \(status)" }

  static func errorText(in body: JSONValue) -> String? {
    let candidates = [body["error"]?.string, body["error"]?["message"]?.string]
    return (candidates + [body["message"]?.string]).lazy
      .compactMap { $0.map(oneLine) }
      .first { !$0.isEmpty }
  }

  /// Text of a server, fit for a line of a terminal: no control characters, no surrounding or
  /// repeated spaces, and no more than 500 characters.
  static func oneLine(_ text: String) -> String {
    let words = text.unicodeScalars
      .split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
      .map { String($0) }
    let line = words.joined(separator: " ")
    return line.count > 500 ? line.prefix(499) + "…" : line
  }
}
