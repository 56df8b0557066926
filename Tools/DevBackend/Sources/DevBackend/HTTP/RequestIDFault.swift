/// Why an `X-Request-Id` is not taken: pure.
enum RequestIDFault: String, Equatable, Sendable {
  case empty
  case tooLong = "too_long"
  /// Spaces, control characters, or what is no ASCII: it could not stand in a log line or a header.
  case oddCharacters = "odd_characters"

  /// More bytes are not taken; the contract's are UUIDs, of 36.
  static let longest = 128

  /// The header of an answer whose request had an id that was not taken.
  ///
  /// Its value is ``rawValue``. `X-Request-Id` beside it is the one that was made instead.
  static let header = "X-Request-Id-Refused"

  /// The fault of an id; nil where it is fit to be logged and stored.
  init?(of id: String) {
    if id.isEmpty {
      self = .empty
    } else if id.utf8.count > Self.longest {
      self = .tooLong
    } else if !id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
      self = .oddCharacters
    } else {
      return nil
    }
  }
}
