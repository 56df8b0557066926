/// The machine-readable part of a failure, where a server sends one.
///
/// Upper case with underscores whatever the spelling, so that `invalid_grant`, `INVALID_GRANT`
/// and `invalid-grant` are one code.
enum FailureCode {
  /// All that can be a code: `code`, `error.code`, and `error` itself, for OAuth puts it there.
  static func all(in body: JSONValue) -> [String] {
    [body["code"]?.string, body["error"]?["code"]?.string, body["error"]?.string]
      .compactMap { $0.map(normalized) }
  }

  /// A code in the one spelling.
  static func normalized(_ text: String) -> String {
    String(text.map { $0 == "-" || $0 == " " ? "_" : $0 }).uppercased()
  }
}
