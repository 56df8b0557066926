#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SessionModels

/// What a request must fulfil before any transport sends it.
///
/// Methods and header fields come from callers, and a line break in one of them would be a
/// request of its own.
enum RequestCheck {
  /// Refuses what cannot be sent as it is.
  static func check(_ request: HTTPRequest) throws(TransportError) {
    guard isToken(request.method.rawValue), request.method.rawValue != "CONNECT" else {
      throw TransportError(.invalidRequest, "The method is no HTTP method")
    }
    guard request.method != .head || (request.content?.length ?? 0) == 0 else {
      throw TransportError(.invalidRequest, "A HEAD request has no body")
    }
    guard request.method != .head || request.destination == nil else {
      throw TransportError(.invalidRequest, "The answer to HEAD has no body to save")
    }
    for (name, value) in request.headers.fields {
      guard isToken(name) else {
        throw TransportError(.invalidRequest, "A header field's name is no token")
      }
      guard !isOwnedByTransport(name) else {
        throw TransportError(.invalidRequest, "The header field \(name) is not the caller's to set")
      }
      guard isFieldValue(value) else {
        throw TransportError(.invalidRequest, "The header field \(name) holds a control character")
      }
    }
    let isSendable = request.bearer?.withBytes { $0.allSatisfy { (0x21...0x7E).contains($0) } }
    guard isSendable ?? true else {
      throw TransportError(.invalidRequest, "The token holds a character that no header can carry")
    }
  }

  /// Refuses plain `http` while a key is pinned that it cannot have.
  static func check(
    _ request: HTTPRequest,
    _ pinning: PinPolicy,
    now: () -> Date
  ) throws(TransportError) {
    guard !pinning.pins.isEmpty, request.url.origin.scheme != "https" else { return }
    guard !pinning.isEnforced(at: now()) else {
      throw TransportError(
        .pinMismatch,
        "\(request.url.origin.text): a key is pinned, and plain http has none"
      )
    }
  }

  /// Fields that frame the message or say where it goes: set by hand, they would let the body be
  /// read in another way, or send the token to another site on the same server.
  private static func isOwnedByTransport(_ name: String) -> Bool {
    switch name.utf8.first {
    case UInt8(ascii: "A"), UInt8(ascii: "a"), UInt8(ascii: "X"), UInt8(ascii: "x"):
      // Most fields begin so, and none of these.
      false
    default: ownFields.contains { HTTPHeaders.isSame($0, name) }
    }
  }

  private static let ownFields = [
    "Connection", "Content-Length", "Expect", "Host", "HTTP2-Settings", "Keep-Alive",
    "Proxy-Authorization", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
  ]

  /// A token of RFC 9110, section 5.6.2.
  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
          true
        default: "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
      }
  }

  /// Visible characters, spaces, tabs, and bytes beyond ASCII (RFC 9110, section 5.5).
  private static func isFieldValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
  }
}
