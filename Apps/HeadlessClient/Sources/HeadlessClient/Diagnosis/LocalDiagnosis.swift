internal import SecureStorage
internal import SessionModels

/// The checks of `doctor` that need no network.
struct LocalDiagnosis {
  private let context: CommandContext

  init(_ context: CommandContext) { self.context = context }

  func permissions() -> Finding {
    let home = context.settings.home
    do {
      switch try home.secure() {
      case .absent: return Finding("\(home.path) is not there yet; it is made at the first sign-in")
      case .sound: return Finding("\(home.path) is yours alone")
      case .exposed(let mode):
        return Finding("\(home.path) has mode \(mode), on a read-only disk: others can read it")
      case .tightened(let mode):
        return Finding("\(home.path) had mode \(mode); it is 0700 now, for you alone")
      }
    } catch {
      return Finding(error, advice: "Run: chmod 700 \(home.path)")
    }
  }

  func vault() async -> Finding {
    do {
      guard let store = try await context.client.storeForReading() else {
        let name = try await context.client.rehearsedVault()
        return Finding("\(name), used from the first sign-in on", advice: advice(on: name))
      }
      let name = store.vaultName
      return Finding("\(name) opens the store", advice: advice(on: name))
    } catch {
      return Finding(error, advice: LocalDiagnosis.vaultAdvice(error))
    }
  }

  /// What to know of a vault that cannot count: a backup of the home brings key and store back.
  private func advice(on vault: VaultName) -> String? {
    switch vault {
    case .file, .passphrase:
      "With this vault, a whole home put back from a backup cannot be noticed"
    case .kernelKeyring:
      "A reboot empties it; and a whole home put back from a backup cannot be noticed"
    default: nil
    }
  }

  private static func vaultAdvice(_ error: ClientError) -> String? {
    switch error.code {
    case .vaultLocked, .wrongKey: "Set HEADLESS_CLIENT_PASSPHRASE, or run at a terminal"
    case .keyLost, .tampered: "Run store reset, then sign in again"
    case .damaged: "Run store repair"
    default: nil
    }
  }

  func store() async -> Finding {
    do {
      guard let store = try await context.client.storeForReading() else {
        return .unchecked("it is not made yet")
      }
      let result = try await withStorageErrors { () async throws(StorageError) in
        try await store.verify()
      }
      guard result.damaged.isEmpty else {
        return Finding(
          ClientError(.damaged, "\(Counted.text(result.damaged.count, "damaged part"))"),
          advice: "store verify names them, store repair keeps all else"
        )
      }
      return Finding("\(Counted.text(result.verified, "value")) verified")
    } catch {
      return Finding(error, advice: "Run store verify")
    }
  }

  func session() async -> Finding {
    do {
      let record = try await context.client.record()
      guard let info = record.authInfo else {
        return Finding("signed out: \(record.signOutReason)", advice: "Sign in with login")
      }
      let attempt = record.attempt == nil ? "" : "; a refresh waits for its answer"
      return Finding("signed in as user \(info.session.userID)\(attempt)")
    } catch {
      return Finding(error)
    }
  }
}
