#if TPM2 && os(Linux)
internal import Glibc

/// This user's turn at a TPM that has no resource manager.
///
/// Such a TPM has room for three objects, and programs that use it at the same time throw out one
/// another's. With a resource manager each has the TPM to itself.
struct TPM2Turn: ~Copyable {
  private let file: CInt

  /// Waits for the turn; where there is no place to wait at, it goes on without.
  init(at address: TPM2Address) {
    file = address.hasResourceManager ? -1 : TPM2Turn.openFile(address)
    guard file >= 0 else { return }
    while flock(file, LOCK_EX) != 0, errno == EINTR {}
  }

  deinit {
    if file >= 0 { close(file) }
  }

  private static func openFile(_ address: TPM2Address) -> CInt {
    // One that hangs must not keep others waiting: the directory of its socket is its own.
    if let socket = address.socketPath {
      return open(PrivateFiles.parent(of: socket), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    // In the one directory that all programs of a user have, whatever their environment.
    let path = "/tmp/mobile-auth-core-tpm2-\(geteuid())"
    return open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
  }
}
#endif
