/// A request as it came, with its path and query taken apart.
struct ServerRequest: Sendable {
  let method: String
  /// The path before the query, with its escapes.
  let path: String
  /// The path's segments without escapes; nil where one is no UTF-8.
  let segments: [String]?
  /// Whether a segment is empty, as the last one of `/sessions/` and the middle one of `/a//b` are.
  let hasEmptySegment: Bool
  /// The query's parameters; of repeated ones the first.
  let query: [String: String]
  /// The names of the query's parameters that stand there more than once.
  let repeatedParameters: Set<String>
  /// By lower-case name; of repeated ones the first.
  private(set) var headers: [String: String]
  let body: [UInt8]
  /// Whether it came from this machine.
  var isLocal = false
  /// The other end of the connection; nil where it is not known.
  var peer: PeerAddress?

  init(method: String, target: String, headers: [String: String], body: [UInt8]) {
    (self.method, self.headers, self.body) = (method, headers, body)
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts.first ?? "")
    let decoded = path.split(separator: "/").map { PercentEncoding.decode($0) }
    segments = decoded.contains(nil) ? nil : decoded.compactMap(\.self)
    hasEmptySegment = path.hasSuffix("/") || path.contains("//")
    var query: [String: String] = [:]
    var repeated: Set<String> = []
    for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(sides[0]) else { continue }
      guard query[name] == nil else {
        repeated.insert(name)
        continue
      }
      query[name] = sides.count > 1 ? PercentEncoding.decode(sides[1]) ?? "" : ""
    }
    (self.query, repeatedParameters) = (query, repeated)
  }

  /// The token of `Authorization: Bearer …`; the scheme's case does not matter (RFC 9110).
  var bearer: String? { headers["authorization"].flatMap(Self.bearer) }

  /// The same request with another bearer token.
  func replacing(bearer token: String) -> ServerRequest {
    var request = self
    request.headers["authorization"] = "Bearer \(token)"
    return request
  }

  /// The token of an `Authorization` value.
  static func bearer(_ value: String) -> String? {
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }

  /// `X-Request-Id`, where the client sent one that is fit to be logged and stored.
  var requestID: String? {
    requestIDFault == nil ? headers["x-request-id"] : nil
  }

  /// Why the client's `X-Request-Id` is not taken; nil where it is, or there is none.
  var requestIDFault: RequestIDFault? { headers["x-request-id"].flatMap(RequestIDFault.init(of:)) }

  /// What the client says of itself; a long text is cut.
  var userAgent: String? { headers["user-agent"].map { String($0.prefix(256)) } }

  /// Where the request comes from: the peer, or whom a trusted proxy names in a header.
  func address(named header: String?) -> PeerAddress? {
    guard let header else { return peer }
    return headers[header.lowercased()].flatMap(PeerAddress.init(_:)) ?? peer
  }

  /// Whether the client keeps refresh tokens itself, instead of in a browser's cookie.
  var isMobile: Bool { headers["x-client-type"]?.lowercased() == "mobile" }

  /// A cookie's value.
  func cookie(_ name: String) -> String? {
    for pair in headers["cookie"]?.split(separator: ";") ?? [] {
      let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      if sides.count == 2, sides[0] == name { return String(sides[1]) }
    }
    return nil
  }
}

/// The escapes of RFC 3986, section 2.1.
package enum PercentEncoding {
  /// Nil where an escape is incomplete or the bytes are no UTF-8.
  package static func decode(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
