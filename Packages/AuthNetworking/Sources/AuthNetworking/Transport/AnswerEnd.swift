/// How one can tell that an answer is whole.
///
/// HTTP/2 ends every answer with a flag, and a server that breaks one off with RST_STREAM and
/// NO_ERROR does not set it; libcurl takes the one for the other, and says neither. Then only the
/// answer itself can tell.
struct AnswerEnd: Equatable {
  /// Whether neither a length nor a trailer tells.
  let isUntold: Bool
  private let isJSON: Bool

  /// What the head of an answer says.
  init(status: Int, headers: HTTPHeaders, isHTTP2: Bool) {
    isUntold =
      isHTTP2 && status != 204 && headers["Content-Length"] == nil
      && ContentCoding(headers) == .none
    guard isUntold, let type = headers["Content-Type"] else {
      isJSON = false
      return
    }
    let name = type.prefix { $0 != ";" && $0 != " " }.lowercased()
    isJSON = name == "application/json" || name.hasSuffix("+json")
  }

  /// Whether a body is seen to lack its end: it should be JSON, and is none.
  func isMissing(_ body: [UInt8]) -> Bool {
    isUntold && isJSON && !body.isEmpty && JSONValue(parsing: body) == nil
  }
}
