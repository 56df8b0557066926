import DevBackendLoad
import Foundation
import Synchronization

@testable import DevBackend
@testable import DevBackendCluster

/// A real Redis server on a port of its own, which ends with the tests at the latest.
final class RedisServer: Sendable {
  static let shared = Task { try await RedisServer.started() }

  /// How long a test waits for an answer, where it is not about one that does not come.
  static let patience: Duration = .seconds(60)

  private let directory: URL
  private let port = ReservedPort()
  private let process = Mutex<ServerProcess?>(nil)

  private init(directory: URL) { self.directory = directory }

  var url: String { "redis://127.0.0.1:\(port.number)" }

  static func started() async throws -> RedisServer {
    let server = RedisServer(directory: try Fixture.temporaryDirectory())
    try await server.start()
    return server
  }

  /// Starts it again after ``kill()``, with nothing in it.
  func start() async throws {
    let path = ["/usr/bin/redis-server", "/usr/local/bin/redis-server"]
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let path else {
      throw PostgreSQLServer.Missing(
        description: "install Redis (Debian: redis-server), as Tools/test does"
      )
    }
    let program = [
      path, "--port", String(port.number), "--bind", "127.0.0.1", "--save", "", "--dir",
      directory.path,
    ]
    let started = try ServerProcess(program, directory: directory)
    process.withLock { $0 = started }
    try await Waiting.until("Redis answers; its log is \(directory.path)/log") {
      (try? await run(["PING"])) != nil
    }
  }

  /// Runs a command on a connection of its own.
  @discardableResult
  func run(_ command: [String]) async throws -> RedisConnection.Reply {
    let url = url
    return try await Executable.off {
      guard let address = RedisAddress(url) else { throw RedisError(message: url) }
      return try RedisConnection(address, limit: Self.patience).run(command)[0]
    }
  }

  func kill() async throws {
    // Once: whoever writes to a shell that has ended dies of SIGPIPE.
    let running = process.withLock { process in
      defer { process = nil }
      return process
    }
    try await running?.kill()
  }

  /// SIGKILL, and nothing of it is left.
  func remove() async throws {
    try await kill()
    try FileManager.default.removeItem(at: directory)
  }

  func pause() throws { try process.withLock { $0 }?.signal(SIGSTOP) }

  func proceed() throws { try process.withLock { $0 }?.signal(SIGCONT) }
}
