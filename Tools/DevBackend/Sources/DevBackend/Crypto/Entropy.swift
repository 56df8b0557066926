internal import CSodium

/// Random bytes from the operating system, and texts made of them.
enum Entropy {
  /// Makes libsodium ready; false where the system gives no random bytes.
  static func prepare() -> Bool { sodium_init() >= 0 }

  static func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    randombytes_buf(&bytes, count)
    return bytes
  }

  /// A secret of 32 random bytes: refresh tokens, opaque sessions, identity seeds.
  static func secret() -> String { Base64URL.encode(bytes(32)) }

  /// An id of 15 random bytes that says what it names: `usr_…`, `ses_…`, `msg_…`.
  static func id(_ prefix: String) -> String { "\(prefix)_\(Base64URL.encode(bytes(15)))" }
}
