import AuthNetworking
import Foundation
import SecureStorage
import SessionModels
import SessionModelsTesting
import Testing

#if os(Linux)
/// A session whose vault is locked when the app starts, from the keyring to the controller.
@Suite struct LockedKeyringTests {
  @Test(.timeLimit(.minutes(5)))
  func `R14: it is unknown while the keyring is locked, and there once that unlocks`()
    async throws
  {
    let keyring = try await LockableKeyring.start()
    let home = FileManager.default.temporaryDirectory.appending(path: "locked-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: home) }
    let directory = home.path + "/store"
    let vault = SecretServiceVault(account: directory, busAddress: keyring.address)
    let signedIn = AuthInfoFixtures.signedIn(baseURL: "http://127.0.0.1:9")
    let store = try await SecureStore.open(at: directory, vault: vault)
    try await SecureSessionStorage(store: store).setAuthInfo(signedIn)
    store.close()
    try await keyring.lock()

    let controller = SessionController(
      configuration: SessionConfiguration(
        baseURL: try HTTPURL(parsing: "http://127.0.0.1:9"),
        dialect: SkyConnectAPI(),
        deviceID: DeviceID(rawValue: "device-1"),
        clientVersion: "1.0.0",
        userAgent: "test"
      ),
      storage: AwakeningSessionStorage(at: directory, vault: vault),
      transport: try CurlTransport(),
      lock: FlockRefreshLock(path: home.path + "/refresh.lock")
    )
    var states = controller.states().makeAsyncIterator()
    #expect(await states.next() == .unknown)
    #expect(controller.authInfo == nil)

    try keyring.unlock()
    let next = await states.next()
    #expect(next?.isSignedIn == true, "\(String(describing: next))")
    #expect(controller.authInfo?.session.userID == signedIn.session.userID)
    await keyring.stop()
  }
}
#endif
