import AuthNetworking
import BenchKit
import Foundation
import SecureStorage
import SessionModels

/// A ``LoopbackServer`` and sessions with it, as an app would have them.
final class Loopback {
  let baseURL: HTTPURL
  private let server: Child
  private let stores: BenchStores
  private var count = 0

  init(_ stores: BenchStores) throws {
    self.stores = stores
    server = try Child(["child-serve"])
    let port = server.line()
    baseURL = try HTTPURL(parsing: "http://127.0.0.1:\(port)")
  }

  /// How often it has refreshed so far.
  func refreshes() async throws -> Int {
    let url = try baseURL.appending(path: "/refreshes")
    let answer = try await CurlTransport().send(HTTPRequest(method: .get, url: url))
    guard let count = JSONValue(parsing: answer.body)?["count"]?.number?.integer() else {
      throw Failure("the server does not say how often it has refreshed")
    }
    return count
  }

  /// A session that is signed in, in a store of its own, with the headers of the contract.
  func session(
    expiresIn lifetime: Double,
    token: String = Loopback.token,
    transport: CurlTransport? = nil
  ) async throws -> SessionController {
    count += 1
    let name = "http-\(count)"
    let store = try await stores.open(name + "/store")
    let storage = SecureSessionStorage(store: store)
    let info = Loopback.info(baseURL, expiresIn: lifetime, token: token)
    try await storage.setAuthInfo(info)
    return SessionController(
      configuration: Loopback.configuration(baseURL),
      storage: storage,
      transport: try transport ?? CurlTransport(),
      lock: FlockRefreshLock(path: stores.scratch.path(name) + "/refresh.lock")
    )
  }

  /// Ends the server.
  func close() throws { _ = try server.finish() }

  static let token = "fresh-access-token-000000000000000000000000"

  static func configuration(_ baseURL: HTTPURL) -> SessionConfiguration {
    SessionConfiguration(
      baseURL: baseURL,
      dialect: SkyConnectAPI(),
      deviceID: DeviceID(rawValue: "bench-device"),
      clientVersion: "bench-1.0(1)",
      userAgent: "bench/1.0 (Linux)"
    )
  }

  static func info(_ baseURL: HTTPURL, expiresIn lifetime: Double, token: String) -> AuthInfo {
    AuthInfo(
      session: Session(
        accessToken: AccessToken(Secret(token)),
        refreshToken: Secret("refresh-token-000000000000000000000000"),
        userID: UserID("user-1")
      ),
      accessTokenExpiresAt: Date().addingTimeInterval(lifetime),
      dialect: SkyConnectAPI().name,
      tokenModel: .accessRefresh,
      baseURL: baseURL.text,
      deviceID: DeviceID(rawValue: "bench-device")
    )
  }
}
