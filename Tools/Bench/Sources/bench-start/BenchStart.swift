import AuthNetworking
import Glibc
import SecureStorage
import SessionModels

/// An app's start: opens the store, takes the session out of it, and sends one request with it.
///
/// Prints what the process has used of the processors from its beginning to the answer, in
/// nanoseconds.
@main enum BenchStart {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { exit(EX_USAGE) }
    let store = try await SecureStore.open(
      at: arguments[1] + "/store",
      vault: FileVault(path: arguments[1] + "/store/store.key")
    )
    let session = SessionController(
      configuration: SessionConfiguration(
        baseURL: try HTTPURL(parsing: arguments[2]),
        dialect: SkyConnectAPI(),
        deviceID: DeviceID(rawValue: "bench-device"),
        clientVersion: "bench-1.0(1)",
        userAgent: "bench/1.0 (Linux)"
      ),
      storage: SecureSessionStorage(store: store),
      transport: try CurlTransport(),
      lock: FlockRefreshLock(path: arguments[1] + "/refresh.lock")
    )
    let answer = try await session.send(APIRequest(.get, "/thing"))
    guard answer.status == 200 else { exit(EX_UNAVAILABLE) }
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    print(time.tv_sec * 1_000_000_000 + time.tv_nsec)
  }
}
