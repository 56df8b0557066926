import AuthNetworking
import SecureStorage
import SessionModels

/// The example of the root README, laid out as it is printed there: `Tools/check` compares the two.
///
/// - Parameters:
///   - home: the folder of the store.
///   - backend: a backend that speaks SkyConnect's dialect.
///   - device: the id of this install.
///   - email: who signs in.
///   - password: with what.
/// - Returns: the answer to the request, and the session's state after it.
/// - Throws: what the packages throw.
// swift-format-ignore
func readmeExample(
  home: String, backend: HTTPURL, device: DeviceID, email: String, password: Secret
) async throws -> (APIResponse, SessionState) {
  // README begins
  let store = try await SecureStore.open(at: home, vault: FileVault(path: "\(home)/key"))
  let session = SessionController(
    configuration: SessionConfiguration(
      baseURL: backend, dialect: SkyConnectAPI(), deviceID: device,
      clientVersion: "example-1.0(1)", userAgent: "example/1.0"),
    storage: SecureSessionStorage(store: store), transport: try CurlTransport(),
    lock: FlockRefreshLock(path: "\(home).lock"))
  _ = try await session.login(Credentials(identifier: email, password: password))
  let answer = try await session.send(APIRequest(.get, "/auth/me"))
  // README ends
  return (answer, session.state)
}
