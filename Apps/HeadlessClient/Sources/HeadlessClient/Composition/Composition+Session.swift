internal import AuthNetworking
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SecureStorage
package import SessionModels

extension Composition {
  /// Signs in, and remembers the backend for the commands after it.
  ///
  /// A store whose key is gone for good, or that is an old copy, is set aside first, and a fresh
  /// one is made (R15). A first sign-in that is refused makes none: it leaves the id of the install,
  /// by which the server is to know all tries, and says so.
  func signIn(
    to backend: Backend,
    _ exchange: (SessionController) async throws(AuthError) -> AuthInfo
  ) async throws(ClientError) -> AuthInfo {
    do {
      _ = try await storeForReading()
    } catch  where error.endsSession {
      try await replaceStore(because: error)
    }
    // Before the network is asked: a session that cannot be kept must not be begun.
    if openStore == nil {
      try opening.chooseNewPassphrase()
      _ = try await rehearsedVault()
    }
    let hadProfile = (try? PrivateFiles.exists(profile.path)) ?? true
    try await rememberInstall()
    let controller = try await makeController(for: backend, deviceID: installID())
    let info: AuthInfo
    do {
      info = try await exchange(controller)
    } catch {
      if !hadProfile { noteNewProfile() }
      throw ClientError(error)
    }
    adoptFirstStore()
    conceal(info)
    let realtimeURL = settings.realtimeURL
    try remember { settings in
      let isAnotherBackend = settings.baseURL != backend.baseURL.text
      settings.baseURL = backend.baseURL.text
      if realtimeURL != nil || isAnotherBackend { settings.realtimeURL = realtimeURL }
      settings.dialect = backend.api.name.rawValue
      settings.tokenModel = backend.tokenModel.rawValue
    }
    return info
  }

  /// Says what a first sign-in leaves that came to nothing.
  private func noteNewProfile() {
    let name = settings.profile.rawValue
    console.hint(
      "The new profile \(name) keeps the id of this install for the next try; "
        + "profile remove \(name) takes it away"
    )
  }

  /// What a sign-out did.
  enum SignOut {
    case nobodyWasSignedIn
    /// The server has confirmed.
    case everywhere
    /// The server was not told; with the reason, where there is one to tell.
    case here(String?)
  }

  /// Signs out: here in any case, with a vault that is locked or lost, too.
  func logout() async throws(ClientError) -> SignOut {
    do {
      try secureHome()
    } catch {
      // What others may have changed is not to be trusted with the token, nor is it to be kept.
      guard (try? profile.hasStore) ?? true else { throw error }
      try await wipe(serverWasTold: false)
      return .here(error.message)
    }
    // Then it can be opened, and the server told. What cannot be cleared is told by what comes next.
    try? await SecureStore.clearObstacles(at: profile.storeDirectory)
    guard (try? profile.hasStore) ?? true else { return .nobodyWasSignedIn }
    defer { opening.lock() }
    let controller: SessionController
    do {
      guard try await record().authInfo != nil else {
        try await wipe(serverWasTold: false)
        return .nobodyWasSignedIn
      }
      controller = try await self.controller()
    } catch {
      try await wipe(serverWasTold: false)
      return .here(error.message)
    }
    noteUnsentMessages()
    let outcome = await controller.logout()
    if let storageError = outcome.storageError {
      // By another way, which takes less for granted.
      do { try await wipe(serverWasTold: outcome.revoked) } catch {
        throw error.message.isEmpty ? ClientError(storageError) : error
      }
    }
    return outcome.revoked ? .everywhere : .here(nil)
  }

  private func wipe(serverWasTold: Bool) async throws(ClientError) {
    do throws(StorageError) {
      try await SecureSessionStorage.wipe(storeAt: profile.storeDirectory, reason: .userRequested)
    } catch {
      // Where nothing can be written, what cannot be read either need not be removed.
      if openStore != nil, (try? await record())?.authInfo == nil { return }
      var failure = ClientError(error)
      failure.message =
        "The session is still in \(profile.storeDirectory): \(error.message)"
        + (serverWasTold ? ". The server has ended it" : ". The server was not told")
      let database = profile.databaseFile
      if PrivateFiles.isLink(database) {
        // What it leads to may be another store of this user's: only a person can know.
        failure.advice =
          "Put what \(database) leads to in its place and log out again, or remove the link and "
          + "what it leads to"
      }
      throw failure
    }
  }

  /// Prints what is stored.
  func printStatus(isStale: Bool = false) async throws(ClientError) {
    do {
      let record = try await record()
      try await print(record.authInfo, reason: record.signOutReason, isStale: isStale)
      if openStore == nil { await noteLeftoverKey() }
    } catch  where error.endsSession {
      console.note("\(error.message). Sign in with login, which sets aside what is left")
      let reason =
        error.code == .keyLost
        ? nil : await SecureSessionStorage.signOutReason(ofStoreAt: profile.storeDirectory)
      try await print(nil, reason: reason ?? (error.code == .keyLost ? .keyLost : .tampered))
    } catch  where error.code == .usage {
      throw error
    } catch {
      // A sign-out leaves its mark on a store that cannot be opened, too.
      if error.code == .damaged || error.code == .newerFormat,
        let reason = await SecureSessionStorage.signOutReason(ofStoreAt: profile.storeDirectory)
      {
        return try await print(nil, reason: reason)
      }
      // Locked is not signed out: what is there will come back (R14).
      try await print(nil, reason: nil)
      throw error
    }
  }

  /// Says of a key without a store why nobody is signed in (R15).
  private func noteLeftoverKey() async {
    guard (try? PrivateFiles.exists(profile.path)) == true,
      let vault = await opening.leftoverKey()
    else { return }
    console.note(
      "The vault \(vault) holds a key, but its store is gone: it was deleted, or this is a "
        + "second install. Sign in with login"
    )
  }

  /// Prints who is signed in.
  func print(
    _ info: AuthInfo?,
    reason: SignOutReason?,
    isStale: Bool = false
  ) async throws(ClientError) {
    let report = StatusReport(
      authInfo: info,
      reason: reason,
      isStale: isStale,
      vault: await vaultText(),
      store: profile.databaseFile,
      now: Date(timeIntervalSince1970: parts.now())
    )
    try console.result(report.json, report.text(console))
  }

  /// Why a command that needs a session cannot go on.
  func signedOutError(_ state: SessionState) -> ClientError {
    guard case .signedOut(let reason) = state else {
      return ClientError(.notSignedIn, "It is not known whether anybody is signed in")
    }
    return switch reason {
    case .never, .userRequested:
      ClientError(.notSignedIn, "Nobody is signed in", advice: "Sign in with login")
    default:
      ClientError(
        .sessionEnded,
        "The session has ended: \(reason.words)",
        advice: "Sign in with login"
      )
    }
  }

  /// The session that a profile has stored, for whoever may open its store.
  package static func storedSession(
    home: HomeDirectory,
    profile: ProfileName
  ) async throws(ClientError) -> AuthInfo? {
    let directory = ProfileDirectory(path: home.profileDirectory(profile))
    guard try directory.hasStore else { return nil }
    return try await withStorageErrors { () async throws(StorageError) in
      let store = try await SecureStore.open(
        at: directory.storeDirectory,
        vault: FileVault(path: directory.keyFile)
      )
      defer { store.close() }
      return try SecureSessionStorage(store: store).record().authInfo
    }
  }
}
