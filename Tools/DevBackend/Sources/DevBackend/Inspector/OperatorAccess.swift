internal import CSodium
internal import Synchronization

/// Who may look at the inspector and ask for faults: whoever is on this machine and has a token.
final class OperatorAccess: Sendable {
  /// For `/admin`, as a bearer token.
  let adminToken: String
  /// For `/inspector`, which only reads; it is derived from the other, and does not give it away.
  let inspectorToken: String

  private let cookies = Mutex<[String]>([])

  /// So many browsers are known at once; the first of them has to bring the token again.
  private static let maximumCookies = 16

  /// Makes a token, or takes that of a file; a file that is missing is made, for its owner only.
  ///
  /// - Throws: ``BackendError`` where the file cannot be used.
  init(tokenFile: String?) throws(BackendError) {
    guard Entropy.prepare() else {
      throw BackendError(.entropy, "the operating system gives no random bytes")
    }
    adminToken =
      if let tokenFile {
        try AdminTokenFile.token(of: tokenFile)
      } else {
        Hexadecimal.encode(Entropy.bytes(16))
      }
    let key = Array("dev-backend inspector token v1..".utf8)
    inspectorToken = String(KeyedHash(key: key)(adminToken).prefix(32))
  }

  func isAdmin(_ token: String?) -> Bool { Self.equal(token, adminToken) }

  /// A cookie for whoever brings the inspector's token; nil for others.
  func cookie(for token: String?) -> String? {
    guard Self.equal(token, inspectorToken) else { return nil }
    let cookie = Hexadecimal.encode(Entropy.bytes(16))
    cookies.withLock { cookies in
      cookies.append(cookie)
      if cookies.count > Self.maximumCookies { cookies.removeFirst() }
    }
    return cookie
  }

  func knows(cookie: String?) -> Bool {
    cookies.withLock { cookies in
      // All are compared, so that the time tells nothing.
      cookies.reduce(false) { Self.equal(cookie, $1) || $0 }
    }
  }

  private static func equal(_ text: String?, _ secret: String) -> Bool {
    guard let text, text.utf8.count == secret.utf8.count else { return false }
    let (left, right) = (Array(text.utf8), Array(secret.utf8))
    return sodium_memcmp(left, right, right.count) == 0
  }
}
