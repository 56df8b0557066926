/// Whether a request's head says in one way only where its body ends: pure.
///
/// What two servers in a row understand differently lets whoever sends it slip a request past the
/// first one (request smuggling, RFC 9112, section 11.2). The answer to such a head is 400, and the
/// end of the connection, since nobody knows where the next request begins.
enum RequestFraming {
  /// What is wrong with a head.
  enum Fault: String, Equatable, Sendable {
    case repeatedLength = "repeated_content_length"
    case lengthAndEncoding = "content_length_and_transfer_encoding"
    case noLength = "content_length_no_number"
    case repeatedEncoding = "repeated_transfer_encoding"
    case unknownEncoding = "unknown_transfer_encoding"
    case oldEncoding = "transfer_encoding_in_http_1_0"
    /// No token: a space before the colon, or a folded line, which libmicrohttpd adds to the name of
    /// the line before.
    case oddName = "odd_header_name"
    case oddValue = "odd_header_value"
    case missingHost = "missing_host"
    case repeatedHost = "repeated_host"

    /// What to do about it.
    var advice: String {
      switch self {
      case .repeatedLength: "Send Content-Length once"
      case .lengthAndEncoding: "Send Content-Length or Transfer-Encoding, not both"
      case .noLength: "Send Content-Length as a number, in digits only"
      case .repeatedEncoding: "Send Transfer-Encoding once"
      case .unknownEncoding: "Of transfer codings only chunked is taken"
      case .oldEncoding: "Transfer-Encoding needs HTTP/1.1"
      case .oddName: "Send header names without spaces, and each header on one line"
      case .oddValue: "Send header values without line breaks"
      case .missingHost: "Send a Host header, which HTTP/1.1 asks for"
      case .repeatedHost: "Send Host once"
      }
    }
  }

  /// What is wrong with a head.
  ///
  /// - Parameters:
  ///   - headers: names and values, in the order in which they came.
  ///   - version: such as `HTTP/1.1`.
  /// - Returns: the first fault; nil where there is none.
  static func fault(of headers: [HTTPHeader], version: String) -> Fault? {
    func values(_ name: String) -> [String] {
      headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
    if headers.contains(where: { !isName($0.name.lowercased()) }) { return .oddName }
    if headers.contains(where: { $0.value.utf8.contains(where: isBreak) }) { return .oddValue }
    let lengths = values("content-length")
    let encodings = values("transfer-encoding")
    let hosts = values("host")
    if lengths.count > 1 { return .repeatedLength }
    if !lengths.isEmpty, !encodings.isEmpty { return .lengthAndEncoding }
    if let length = lengths.first, !isNumber(length) { return .noLength }
    if encodings.count > 1 { return .repeatedEncoding }
    if let encoding = encodings.first {
      guard encoding.lowercased() == "chunked" else { return .unknownEncoding }
      guard version != "HTTP/1.0" else { return .oldEncoding }
    }
    if hosts.count > 1 { return .repeatedHost }
    if hosts.isEmpty, version != "HTTP/1.0" { return .missingHost }
    return nil
  }

  /// Whether a name in lower case is a token (RFC 9110, section 5.1), and none of the two that matter
  /// here with a folded line at its end.
  private static func isName(_ name: String) -> Bool {
    let isToken = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }
    let isFolded = ["content-length", "transfer-encoding"].contains { known in
      name != known && name.hasPrefix(known)
    }
    return !name.isEmpty && isToken && !isFolded
  }

  private static func isBreak(_ byte: UInt8) -> Bool { [0, 0x0A, 0x0D].contains(byte) }

  private static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
