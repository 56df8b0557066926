/// Whether a request's head says in one way only where its body ends: pure.
///
/// What two servers in a row understand differently lets whoever sends it slip a request past the
/// first one (request smuggling, RFC 9112, section 11.2). The answer to such a head is 400, and the
/// end of the connection, since nobody knows where the next request begins.
enum RequestFraming {
  /// What is wrong with a head.
  enum Fault: String, Equatable, Sendable, CaseIterable {
    case repeatedLength = "repeated_content_length"
    case lengthAndEncoding = "content_length_and_transfer_encoding"
    case noLength = "content_length_no_number"
    case repeatedEncoding = "repeated_transfer_encoding"
    case unknownEncoding = "unknown_transfer_encoding"
    case oldEncoding = "transfer_encoding_in_http_1_0"
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

  private static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
