import Foundation
import Synchronization
import Testing

@testable import DevBackend

/// A backend that runs for the length of one test, and a client for it.
struct Fixture: Sendable {
  let backend: DevBackend
  let ports: BackendPorts
  let client: TestClient
  let inspector: BackendInspector
  let log: LogKeeper

  static func run(
    bus: any InstanceBus = InMemoryBus(),
    _ change: (inout BackendConfiguration) -> Void = { _ in },
    _ body: (Fixture) async throws -> Void
  ) async throws {
    let log = LogKeeper()
    var configuration = BackendConfiguration.testing()
    configuration.log = { log.add($0) }
    // Stands still, so that a slow machine cannot make a token expire: tests move it by hand.
    let start = BackendClock.system.now()
    configuration.clock = BackendClock { start }
    try await configuration.useDatabaseOfTest()
    change(&configuration)
    let backend = DevBackend(configuration, bus: bus)
    let ports = try await backend.start()
    do {
      try await body(
        Fixture(
          backend: backend,
          ports: ports,
          client: TestClient(port: ports.http),
          inspector: try backend.inspector(),
          log: log
        )
      )
    } catch {
      await backend.stop()
      throw error
    }
    await backend.stop()
  }

  /// Registers a SkyConnect user and returns the session.
  func registerSky(_ name: String = "ada", device: String = "phone") async throws -> JSONValue {
    let answer = try await client.send("POST", "/auth/register", Self.sky(name, device: device))
    try #require(answer.status == 201)
    return answer.json
  }

  static func sky(_ name: String, device: String = "phone") -> JSONValue {
    .of([
      "username": .string(name), "email": .string("\(name)@example.com"),
      "password": .string("SecurePass1"), "device_id": .string(device),
    ])
  }

  func refreshSky(
    _ token: String,
    device: String = "phone",
    attempt: String? = nil
  ) async throws -> TestAnswer {
    try await client.send(
      "POST",
      "/auth/refresh",
      .of(["refresh_token": .string(token), "device_id": .string(device)]),
      headers: attempt.map { ["X-Request-Id": $0] } ?? [:]
    )
  }

  static let mobile = ["X-Client-Type": "mobile"]

  static func ksn(_ name: String, born: String = "2011-01-01") -> JSONValue {
    .of([
      "username": .string(name), "email": .string("\(name)@example.com"),
      "password": .string("SecurePass1"), "dateOfBirth": .string(born),
    ])
  }

  /// Registers a KSN user and returns `data`.
  func registerKSN(_ name: String = "kid") async throws -> JSONValue {
    let answer = try await client.send(
      "POST",
      "/api/auth/register",
      Self.ksn(name),
      headers: Self.mobile
    )
    try #require(answer.status == 201)
    return try #require(answer.json["data"])
  }

  func refreshKSN(_ token: String, attempt: String? = nil) async throws -> TestAnswer {
    var headers = Self.mobile
    headers["X-Request-Id"] = attempt
    return try await client.send(
      "POST",
      "/api/auth/refresh",
      .of(["refreshToken": .string(token)]),
      headers: headers
    )
  }

  static func temporaryDirectory() throws -> URL {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("dev-backend-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }
}

extension JSONValue {
  /// The string of a member; empty where there is none, which no test expects.
  func string(_ name: String) -> String { self[name]?.text ?? "" }
}

/// Keeps every log line.
final class LogKeeper: Sendable {
  private struct State {
    var lines: [BackendLogLine] = []
    var waiters:
      [(isMet: @Sendable (String) -> Bool, continuation: CheckedContinuation<Void, Never>)] =
        []
  }

  private let state = Mutex(State())

  func add(_ line: BackendLogLine) {
    let text = line.text
    SweptOutput.said(text)
    let met = state.withLock { state in
      state.lines.append(line)
      let met = state.waiters.filter { $0.isMet(text) }
      state.waiters.removeAll { $0.isMet(text) }
      return met.map(\.continuation)
    }
    for waiter in met { waiter.resume() }
  }

  var text: String { state.withLock { $0.lines.map(\.text) }.joined(separator: "\n") }

  /// What happened in a request.
  func events(of requestID: String?) -> [String] {
    state.withLock { state in
      state.lines.filter { $0.requestID == requestID }.map(\.event)
    }
  }

  /// Returns when a line holds the text, whether it was written already or not.
  func waitFor(_ part: String) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.lines.contains(where: { $0.text.contains(part) }) { return true }
        state.waiters.append(({ $0.contains(part) }, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}
