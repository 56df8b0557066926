#if KernelKeyring && os(Linux)
internal import CKeyutils
internal import Glibc

/// The kernel's keyring of this user, which every process of the user sees.
struct KernelKeyring {
  private static let type = "user"
  private static let user = KEY_SPEC_USER_KEYRING
  private static let limit = 256

  private let functions: CKeyutilsFunctions

  /// - Throws: `vaultUnavailable` without libkeyutils.
  init() throws(StorageError) {
    guard let functions = ckeyutils_functions()?.pointee else {
      throw KernelKeyring.unavailable(
        "The library for the kernel's keyring is not installed",
        advice: "Install libkeyutils (on Debian libkeyutils1), or use another vault."
      )
    }
    self.functions = functions
  }

  /// The content of a key; nil where there is none, or its time is over.
  func content(of description: String) throws(StorageError) -> [UInt8]? {
    guard let key = try find(description) else { return nil }
    var content = [UInt8](repeating: 0, count: KernelKeyring.limit)
    defer { Sodium.wipe(&content) }
    let count = content.withUnsafeMutableBytes { bytes in
      functions.read(key, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    guard count >= 0 else {
      if KernelKeyring.isGone(errno) { return nil }
      throw KernelKeyring.failure("read", errno)
    }
    return Array(content.prefix(min(count, content.count)))
  }

  /// Puts a key in the place of the one before, in one step; the kernel forgets it after so many
  /// seconds, and with nil not before it is shut down.
  func keep(
    _ content: [UInt8],
    as description: String,
    for seconds: UInt32?
  ) throws(StorageError) {
    // Made in the thread's own keyring first. Without the user's keyring in that of its session a
    // process may put a key there, but not change its permissions any more.
    let thread = KEY_SPEC_THREAD_KEYRING
    let key = functions.add_key(KernelKeyring.type, description, content, content.count, thread)
    guard key >= 0 else { throw KernelKeyring.failure("make", errno) }
    defer { _ = functions.unlink(key, thread) }
    guard functions.set_permissions(key, ckeyutils_possessor_and_user) >= 0 else {
      throw KernelKeyring.failure("set the permissions of", errno)
    }
    if let seconds, functions.set_timeout(key, seconds) < 0 {
      throw KernelKeyring.failure("set the time-out of", errno)
    }
    guard functions.link(key, KernelKeyring.user) >= 0 else {
      throw KernelKeyring.failure("keep", errno)
    }
  }

  /// Takes a key away, from every keyring that it is in.
  func remove(_ description: String) throws(StorageError) {
    guard let key = try find(description) else { return }
    guard functions.invalidate(key) >= 0 || KernelKeyring.isGone(errno) else {
      throw KernelKeyring.failure("remove", errno)
    }
  }

  private func find(_ description: String) throws(StorageError) -> key_serial_t? {
    let key = functions.search(KernelKeyring.user, KernelKeyring.type, description, 0)
    guard key < 0 else { return key_serial_t(key) }
    if KernelKeyring.isGone(errno) { return nil }
    throw KernelKeyring.failure("look for", errno)
  }

  /// The kernel knows for some minutes only that a key has expired or was revoked; then it is as
  /// absent as any other.
  private static func isGone(_ code: CInt) -> Bool {
    [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(code)
  }

  static func failure(_ what: String, _ code: CInt) -> StorageError {
    let advice =
      switch code {
      case EDQUOT: "This user's keys fill their quota: remove some (keyctl), or use another vault."
      case EPERM, ENOSYS, EACCES:
        "Containers often forbid the kernel's keyring: allow it there, or use another vault."
      default: "Try again, or use another vault."
      }
    return unavailable(
      "Cannot \(what) the key in the kernel's keyring: \(POSIX.cause(code))",
      advice: advice
    )
  }

  private static func unavailable(_ message: String, advice: String) -> StorageError {
    StorageError(.vaultUnavailable, message, advice: advice)
  }
}
#endif
