import Foundation
import Synchronization

@testable import DevBackend
@testable import DevBackendCluster

/// A real PostgreSQL server in a directory of its own, which ends with the tests at the latest.
final class PostgreSQLServer: Sendable {
  /// The one that tests share which do not stop it.
  static let shared = Task { try await PostgreSQLServer.started() }

  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  private let directory: URL
  private let binaries: URL
  private let owner: Process.Owner
  private let process = Mutex<ServerProcess?>(nil)
  private let schemas = Atomic(0)

  private init(directory: URL, binaries: URL, owner: Process.Owner) {
    (self.directory, self.binaries, self.owner) = (directory, binaries, owner)
  }

  /// A new and empty server.
  static func started() async throws -> PostgreSQLServer {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    guard let version = versions.max(by: { (Int($0) ?? 0) < (Int($1) ?? 0) }) else {
      throw Missing(description: "install PostgreSQL (Debian: postgresql), as Tools/test does")
    }
    let directory = try Fixture.temporaryDirectory()
    let server = PostgreSQLServer(
      directory: directory,
      binaries: URL(fileURLWithPath: "\(root)/\(version)/bin"),
      // The server refuses to run as root.
      owner: getuid() == 0 ? .user("postgres") : .caller
    )
    try await server.initialize()
    try await server.start()
    return server
  }

  /// A connection URL, to a schema if there is one.
  func url(schema: String? = nil) -> String {
    let path = schema.map { "&options=-csearch_path%3D\($0)" } ?? ""
    return "postgres://postgres@localhost/postgres?host=\(directory.path)\(path)"
  }

  /// The URL of a database of its own, as far as a backend can tell, and empty.
  func makeDatabase() async throws -> String {
    let schema = "test_\(schemas.add(1, ordering: .relaxed).newValue)"
    let url = url()
    try await Executable.off {
      let connection = try PostgreSQLConnection(url: url, limit: .seconds(30))
      try connection.runOnce("CREATE SCHEMA \(schema)")
    }
    return self.url(schema: schema)
  }

  /// Starts it again after ``kill()``.
  func start() async throws {
    let program = [
      binaries.appendingPathComponent("postgres").path, "-D", data.path, "-k", directory.path, "-h",
      "", "-c", "max_connections=300",
      // Survives SIGKILL of the server, which tests do, not of the machine.
      "-c", "fsync=off",
    ]
    let started = try ServerProcess(program, owner: owner, directory: directory)
    process.withLock { $0 = started }
    let url = url()
    try await Waiting.until("PostgreSQL answers; its log is \(directory.path)/log") {
      try await Executable.off {
        (try? PostgreSQLConnection(url: url, limit: .seconds(5))) != nil
      }
    }
  }

  /// SIGKILL, to the server and each of its processes.
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

  /// Lets it stand still, as a machine that is cut off from the network does.
  func pause() throws { try process.withLock { $0 }?.signal(SIGSTOP) }

  /// Lets it go on.
  func proceed() throws { try process.withLock { $0 }?.signal(SIGCONT) }

  private var data: URL { directory.appendingPathComponent("data") }

  private func initialize() async throws {
    if case .user(let name) = owner {
      try FileManager.default.setAttributes([.ownerAccountName: name], ofItemAtPath: directory.path)
    }
    let program = [
      binaries.appendingPathComponent("initdb").path, "-D", data.path, "-U", "postgres",
      "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync",
    ]
    let (path, arguments) = owner.command(program)
    let outcome = try await Executable(arguments, path: path).outcome()
    guard outcome.status == 0 else { throw Missing(description: outcome.errors) }
  }
}
