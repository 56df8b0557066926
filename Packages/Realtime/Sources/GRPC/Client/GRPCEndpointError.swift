/// Why a text is no endpoint that a channel may connect to.
public enum GRPCEndpointError: Error, Equatable, Sendable {
  /// It is not `http://host[:port]` or `https://host[:port]`.
  case malformed(String)

  /// It is `http://` to a host that is not loopback, which was not allowed (R8).
  case plainTextBeyondLoopback(host: String)

  /// A pin is not `sha256//` and the base64 of 32 bytes.
  case malformedPin(String)
}

extension GRPCEndpointError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .malformed(let text):
      "“\(text)” is no address of a realtime server, such as https://host:443."
    case .plainTextBeyondLoopback(let host):
      "\(host) is not this machine: use https://, or allow plain text."
    case .malformedPin(let text):
      "“\(text)” is no pin of the form sha256//BASE64."
    }
  }
}
