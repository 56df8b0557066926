/// Names one logical request, so that a server that gets it twice acts on it once.
///
/// Sent as `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), a quoted string. It is
/// the same in every attempt of a request: the replay after a 401, a redirect within the origin,
/// and what an app sends again itself because no answer came. Take a new one for each new action.
public struct IdempotencyKey: Hashable, Sendable {
  /// The key, without quotes.
  public let text: String

  /// A key of the caller's: 1 to 255 visible ASCII characters other than `"` and `\`; nil for
  /// anything else.
  public init?(_ text: String) {
    guard (1...255).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
    else { return nil }
    self.text = text
  }

  /// A new key, a UUID.
  public init(randomness: SessionRandomness = .system) { text = randomness.uuid() }

  /// The field's name.
  public static let headerName = "Idempotency-Key"

  /// The field's value: a string of RFC 9651.
  public var headerValue: String { "\"\(text)\"" }
}

extension IdempotencyKey: CustomStringConvertible {
  /// The key.
  public var description: String { text }
}
