internal import CSodium

/// Comparisons that take as long whatever differs, so that a secret cannot be guessed byte by byte.
enum ConstantTime {
  /// Whether both are the same; only their lengths, which are no secret, show in the time.
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && sodium_memcmp(left, right, left.count) == 0
  }

  /// The same for texts, as their UTF-8.
  static func areEqual(_ left: String, _ right: String) -> Bool {
    areEqual(Array(left.utf8), Array(right.utf8))
  }
}
