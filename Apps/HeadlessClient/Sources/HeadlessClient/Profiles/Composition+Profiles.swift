internal import Dispatch
internal import SecureStorage

extension Composition {
  /// Another profile of the same home; its vault is the one that its store has.
  func sibling(_ name: ProfileName) -> Composition {
    Composition(
      settings: settings.of(name),
      environment: environment,
      input: input,
      console: console,
      parts: parts
    )
  }

  /// Gives a profile another name, with all that it holds.
  ///
  /// - Throws: ``ClientError``: `notFound`; `invalidInput` where the name is taken; `usage` where
  ///   the vault would not find the key any more; `storage` where another process uses it.
  func renameProfile(to target: ProfileName) async throws(ClientError) {
    try keepProfileAlone()
    if let vault = try await recordedVault(), Composition.vaultsBoundToPlace.contains(vault) {
      throw .usage(
        "The vault \(vault) knows the key by the profile's place, and would not find it any more",
        advice: "Move the key first, with store rekey --vault file, and back after the renaming"
      )
    }
    opening.lock()
    try ProfileFiles.rename(profile.path, to: settings.home.profileDirectory(target))
  }

  /// What removing a profile did.
  struct Removal {
    /// Whether the server has confirmed the sign-out.
    var isRevoked = false
    /// Why the server was not told; nil where nobody was signed in, or it was.
    var why: String?
  }

  /// Signs a profile out and removes all that it holds, its key in the vault included.
  ///
  /// - Throws: ``ClientError``: `notFound`; `storage` where another process uses it.
  func removeProfile() async throws(ClientError) -> Removal {
    try keepProfileAlone()
    let vault = try? await recordedVault()
    var removal = Removal()
    do {
      switch try await logout() {
      case .everywhere: removal.isRevoked = true
      case .here(let why): removal.why = why ?? "it could not be reached"
      case .nobodyWasSignedIn: break
      }
    } catch {
      // What cannot be signed out of goes all the same, with all else.
      removal.why = error.message
    }
    await close()
    opening.lock()
    if let vault, let vault = try? opening.vault(vault, isNew: false) {
      await Composition.forgetKey(of: vault)
    }
    try ProfileFiles.remove(profile.path, in: settings.home.profilesDirectory)
    return removal
  }

  /// The vaults that find a key by ``ProfileDirectory/account``, which a renaming changes.
  private static let vaultsBoundToPlace: [VaultName] = [.secretService, .kernelKeyring, .keychain]

  /// Keeps everybody else out of the profile until the command is done.
  private func keepProfileAlone() throws(ClientError) {
    try secureHome()
    guard let alone = try ProfileHold.take(profile.path, .exclusive) else {
      throw ClientError(
        .notFound,
        "There is no profile \(settings.profile.rawValue)",
        advice: "profile list names those that there are"
      )
    }
    adopt(alone)
  }

  /// Waits no longer than the vault's patience: a profile goes though its vault does not answer,
  /// for without its store the key opens nothing.
  private static func forgetKey(of vault: any KeyVault) async {
    let (answers, answer) = AsyncStream.makeStream(of: Void.self)
    DispatchQueue(label: "profile.vault").async {
      try? vault.setRootKey(nil)
      answer.finish()
    }
    let timer = Task {
      try? await Task.sleep(for: vault.patience)
      answer.finish()
    }
    for await _ in answers {}
    timer.cancel()
  }
}
