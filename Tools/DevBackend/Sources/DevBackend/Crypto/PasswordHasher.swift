internal import CSodium
internal import Dispatch

/// How much work Argon2id does for a password.
public struct PasswordCost: Equatable, Sendable {
  /// Passes over the memory, from 1.
  public var passes: UInt64
  /// Memory in bytes, from 8,192.
  public var memory: Int

  /// A cost from its parts.
  public init(passes: UInt64, memory: Int) {
    self.passes = passes
    self.memory = memory
  }

  /// libsodium's INTERACTIVE: two passes over 64 MiB, some 50 ms.
  public static let interactive = PasswordCost(passes: 2, memory: 67_108_864)
  /// The least that libsodium allows, for tests only.
  public static let minimum = PasswordCost(passes: 1, memory: 8_192)
}

/// Argon2id password hashes in their usual text form; blocks its thread while it works.
final class PasswordHasher: Sendable {
  private let cost: PasswordCost
  // Bounds memory: each hash in progress holds `cost.memory` bytes.
  private let slots = DispatchSemaphore(value: 4)

  init(cost: PasswordCost) { self.cost = cost }

  /// Nil where the memory for it is missing.
  func hash(_ password: String) -> String? {
    slots.wait()
    defer { slots.signal() }
    var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
    let length = UInt64(password.utf8.count)
    guard crypto_pwhash_str(&text, password, length, cost.passes, cost.memory) == 0 else {
      return nil
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether the password belongs to the hash.
  ///
  /// Without a hash the same work is done for nothing, so that an unknown user takes as long to
  /// refuse as a wrong password.
  func verify(_ password: String, against hash: String?) -> Bool {
    slots.wait()
    defer { slots.signal() }
    let length = UInt64(password.utf8.count)
    let matches = crypto_pwhash_str_verify(hash ?? decoy, password, length) == 0
    return matches && hash != nil
  }

  /// Whether a hash is of this cost; one of another, checked in another time, would tell that its
  /// user exists.
  func isCurrent(_ hash: String) -> Bool {
    crypto_pwhash_str_needs_rehash(hash, cost.passes, cost.memory) == 0
  }

  /// A hash that no password has, of the same cost.
  var decoy: String {
    "$argon2id$v=19$m=\(cost.memory / 1_024),t=\(cost.passes),p=1"
      + "$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
  }
}
