internal import AuthNetworking
internal import SecureStorage
internal import SessionModels

/// The checks of `doctor` that need no network.
struct LocalDiagnosis {
  private let context: CommandContext
  private let shell: ShellLine

  init(_ context: CommandContext) {
    self.context = context
    shell = ShellLine(context)
  }

  // MARK: Files

  func permissions() async -> Finding {
    let home = context.settings.home
    let path = ShellLine.quoted(home.path)
    let note: String
    do {
      switch try home.secure() {
      case .absent: return .skipped("\(home.path) is made at the first sign-in")
      case .sound: note = "\(home.path) is yours alone"
      case .exposed(let mode):
        return Finding(
          ClientError(
            .storage,
            "\(home.path) has mode \(mode), on a read-only disk: others can read it"
          ),
          await remedy(for: .readOnly)
        )
      case .tightened(let mode):
        note = "\(home.path) had mode \(mode); it is 0700 now, for you alone"
      }
      let wide = PrivateFiles.exposed(below: context.client.profile.path)
      guard let first = wide.first else { return Finding(note) }
      let others =
        wide.count > 1 ? " and \(Counted.text(wide.count - 1, "other")) of your files" : ""
      return Finding(
        ClientError(.storage, "\(first)\(others) may be used by other users"),
        Remedy("Take that from them", run: "chmod -R go= \(path)")
      )
    } catch {
      let isOurs = (try? PrivateFiles.modes(of: home.path))?.isOurs ?? true
      return Finding(
        error,
        isOurs
          ? Remedy("Make sure that nobody has changed anything there", run: "chmod 700 \(path)")
          : Remedy("Use a directory of your own", run: shell.setting("home", to: "DIR"))
      )
    }
  }

  /// Whether a commit would find room: as much as one writes is written, and taken away again.
  func disk() async -> Finding {
    let directory = context.client.profile.path
    guard (try? PrivateFiles.exists(directory)) ?? true else {
      return .skipped("nothing is stored yet")
    }
    do {
      try PrivateFiles.probe(directory)
    } catch {
      return Finding(error.error, await remedy(for: error.reason))
    }
    return Finding("\(directory) can be written to")
  }

  private func remedy(for reason: PrivateFiles.WriteProblem.Reason) async -> Remedy {
    let home = context.settings.home.path
    let moving = "mv \(ShellLine.quoted(home)) DIR && \(shell.setting("home", to: "DIR"))"
    return Remedy.disk(reason, home: home, moving: await canMove ? moving : nil)
  }

  /// Whether the key is found from another place: in a keyring it stands under the home's path.
  private var canMove: Bool {
    get async {
      let profile = context.client.profile
      do throws(ClientError) {
        switch try await context.client.recordedVault() {
        case .file, .passphrase, .tpm2, nil: return true
        default: return false
        }
      } catch {
        // On a full disk it may not be readable; a key that lies with it goes with it.
        return [profile.keyFile, profile.passphraseFile, profile.tpmFile].contains { path in
          (try? PrivateFiles.exists(path)) == true
        }
      }
    }
  }

  // MARK: Store

  func vault() async -> Finding {
    do {
      guard let store = try await context.client.storeForReading() else {
        let name = try await context.client.rehearsedVault()
        return Finding("\(name), used from the first sign-in on", advice(on: name))
      }
      let name = store.vaultName
      return Finding("\(name) opens the store", advice(on: name))
    } catch {
      guard LocalDiagnosis.isVaults(error) else { return .skipped("the store cannot be opened") }
      return Finding(error, await vaultRemedy(error))
    }
  }

  /// What to know of a vault that cannot count: a backup of the home brings key and store back.
  private func advice(on vault: VaultName) -> Remedy? {
    switch vault {
    case .file, .passphrase:
      Remedy("With this vault, a whole home put back from a backup cannot be noticed")
    case .kernelKeyring:
      Remedy("A reboot empties it; and a whole home put back from a backup cannot be noticed")
    default: nil
    }
  }

  private static func isVaults(_ error: ClientError) -> Bool {
    switch error.code {
    case .vaultLocked, .vaultUnavailable, .wrongKey, .keyLost, .usage: true
    default: false
    }
  }

  private func vaultRemedy(_ error: ClientError) async -> Remedy? {
    let vault = try? await context.client.recordedVault()
    switch (error.code, vault) {
    case (.vaultLocked, .passphrase?), (.wrongKey, .passphrase?):
      return Remedy(
        "Type the passphrase of this store where it is asked for, or into the environment",
        run: "read -rs HEADLESS_CLIENT_PASSPHRASE; export HEADLESS_CLIENT_PASSPHRASE"
      )
    case (.keyLost, _), (.wrongKey, _):
      return Remedy(
        "Set the store aside, which loses the session, and sign in again",
        run: shell.own("store reset")
      )
    case (.usage, _):
      return Remedy(
        "The store's vault is \(vault.map { "\($0)" } ?? "another one")",
        run: shell.withoutSetting("vault")
      )
    default: return nil
    }
  }

  func store() async -> Finding {
    do {
      guard let store = try await context.client.storeForReading() else {
        return .skipped("it is made at the first sign-in")
      }
      let result = try await withStorageErrors { () async throws(StorageError) in
        try await store.verify()
      }
      guard result.damaged.isEmpty else {
        return Finding(
          ClientError(.damaged, "\(Counted.text(result.damaged.count, "damaged part"))"),
          repairing
        )
      }
      let verified = "\(Counted.text(result.verified, "value")) verified"
      let aside = SecureStore.storesAside(of: context.client.profile.storeDirectory)
      guard let last = aside.last else { return Finding(verified) }
      return Finding(
        "\(verified); \(Counted.text(aside.count, "store")) set aside, the last in \(last)",
        Remedy("Remove what was set aside once nothing is missed")
      )
    } catch {
      switch error.code {
      case _ where LocalDiagnosis.isVaults(error): return .skipped("the vault does not open it")
      case .damaged: return Finding(error, repairing)
      case .tampered:
        return Finding(
          error,
          Remedy(
            "Set it aside, which loses the session, and sign in again",
            run: shell.own("store reset")
          )
        )
      default: return Finding(error)
      }
    }
  }

  private var repairing: Remedy {
    Remedy("Keep all that is whole, and have the rest named", run: shell.own("store repair"))
  }

  func session() async -> Finding {
    do {
      let record = try await context.client.record()
      guard let info = record.authInfo else {
        let url = try? context.client.backendForSignIn().baseURL.text
        return Finding(
          "signed out: \(record.signOutReason.words)",
          Remedy("Sign in", run: shell.own("login IDENTIFIER --base-url \(url ?? "URL")"))
        )
      }
      let isWaiting = record.attempt.map { !$0.isAnswered } ?? false
      let attempt = isWaiting ? "; a refresh waits for its answer" : ""
      return Finding("signed in as user \(info.session.userID)\(attempt)")
    } catch {
      return .skipped("the store does not open")
    }
  }
}
