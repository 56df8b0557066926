import Foundation
import Synchronization
import Testing

@testable import DevBackend
@testable import DevBackendCluster

/// A real PostgreSQL server below the backend.
@Suite(.timeLimit(.minutes(5))) struct PostgreSQLTests {
  private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await Executable.off(body)
  }

  private func engine(limit: Duration = .seconds(30)) async throws -> PostgreSQLEngine {
    let url = try await PostgreSQLServer.shared.value.makeDatabase()
    return try await onThread { try PostgreSQLEngine(url: url, limit: limit) }
  }

  @Test func `each value comes back as it went in`() async throws {
    let engine = try await engine()
    let values: [SQLValue] = [
      .null, .integer(.max), .integer(.min), .text(""), .text("?'$1\\"), .text("naïve 👩‍👩‍👧"),
      .text("a\0b\u{1A}c\u{1A}0\0"),
    ]
    let answer = try await onThread {
      try engine.transaction { connection in
        try connection.run("CREATE TABLE kept (number BIGINT, words TEXT)")
        for value in values {
          if case .text = value {
            try connection.run("INSERT INTO kept VALUES (0, ?)", value)
          } else {
            try connection.run("INSERT INTO kept VALUES (?, 'a ? stays')", value)
          }
        }
        #expect(connection.changes == 1)
        return try connection.run("SELECT number, words FROM kept")
      }
    }
    for (row, value) in zip(answer, values) {
      if case .text = value {
        #expect(row.values == [.integer(0), value])
      } else {
        #expect(row.values == [value, .text("a ? stays")])
      }
    }
    #expect(answer.count == values.count)
  }

  @Test func `what a body threw, or a statement that failed, leaves nothing behind`() async throws {
    struct Stop: Error {}
    let engine = try await engine()
    try await onThread {
      _ = try engine.transaction { try $0.run("CREATE TABLE kept (number BIGINT)") }
      #expect(throws: Stop.self) {
        try engine.transaction { connection in
          try connection.run("INSERT INTO kept VALUES (1)")
          throw Stop()
        }
      }
      #expect(throws: BackendError.self) {
        try engine.transaction { connection in
          try connection.run("INSERT INTO kept VALUES (1)")
          // Whoever goes on after a failure has not committed what went before.
          _ = try? connection.run("SELECT nothing FROM nowhere")
        }
      }
      #expect(try engine.transaction { try $0.run("SELECT COUNT(*) FROM kept") }[0].integer(0) == 0)
    }
  }

  @Test func `a row that another instance inserts first is found, and not called a failure`()
    async throws
  {
    let server = try await PostgreSQLServer.shared.value
    let url = try await server.makeDatabase()
    let (first, second) = try await onThread {
      (try PostgreSQLEngine(url: url), try PostgreSQLEngine(url: url))
    }
    _ = try await onThread {
      try first.transaction { try $0.run("CREATE TABLE kept (name TEXT PRIMARY KEY)") }
    }
    let runs = Atomic(0)
    let insert: @Sendable (any SQLConnection) throws -> Bool = { connection in
      runs.add(1, ordering: .relaxed)
      let isThere = try !connection.run("SELECT 1 FROM kept WHERE name = 'x'").isEmpty
      if !isThere { try connection.run("INSERT INTO kept VALUES ('x')") }
      return isThere
    }
    let other = Mutex<Task<Bool, any Error>?>(nil)
    let wasThere = try await onThread {
      try first.transaction { connection in
        let wasThere = try insert(connection)
        other.withLock { task in
          task = Task { try await Executable.off { try second.transaction(insert) } }
        }
        // Until the other one waits for this transaction's row.
        let waiting =
          "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'transactionid'"
          + " AND query LIKE 'INSERT INTO kept%'"
        while try connection.run(waiting).isEmpty {
          try connection.run("SELECT pg_stat_clear_snapshot()")
        }
        return wasThere
      }
    }
    #expect(!wasThere)
    #expect(try await other.withLock { $0 }?.value == true)
    #expect(runs.load(ordering: .relaxed) == 3)
  }

  @Test func `instances that start at once make one schema and one set of keys`() async throws {
    let url = try await PostgreSQLServer.shared.value.makeDatabase()
    let keys = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 1...4 {
        group.addTask {
          try await Executable.off {
            var configuration = BackendConfiguration.testing()
            configuration.database = url
            configuration.connector = ClusterLibraries(clock: nil)
            let core = try BackendCore(
              configuration,
              time: ServerTime(.system),
              faults: FaultSwitches(),
              bus: InMemoryBus()
            )
            defer { core.close() }
            let claims = try #require(core.keys.current.encode(Self.claims, at: core.time.now))
            return [core.hash("token"), claims]
          }
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(keys.count == 1)
  }

  private static let claims = AccessTokenClaims(
    userID: "u",
    sessionID: "s",
    deviceID: nil,
    issuedAt: 1,
    expiry: 2,
    nonce: "n"
  )

  @Test func `a server that dies means 503 until it is back, and nothing is lost or let in`()
    async throws
  {
    let server = try await PostgreSQLServer.started()
    try await Fixture.run {
      $0.database = server.url()
      $0.connector = ClusterLibraries(clock: nil)
    } _: { fixture in
      let session = try await fixture.registerSky()
      let (access, refresh) = (session.string("access_token"), session.string("refresh_token"))
      func me() async throws -> TestAnswer {
        try await fixture.client.send("GET", "/auth/me", bearer: access)
      }
      try await server.kill()
      for answer in [
        try await me(), try await fixture.refreshSky(refresh, attempt: "one"),
        try await fixture.client.send("POST", "/auth/login", Fixture.sky("ada")),
      ] {
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] == "1")
      }
      try await server.start()
      try await Waiting.until("the backend serves again") { try await me().status == 200 }
      let pair = try await fixture.refreshSky(refresh, attempt: "one")
      #expect(pair.status == 200)

      // Each of its connections is dead now: a client is told to come again, and no more.
      let next = pair.json.string("refresh_token")
      try await server.kill()
      try await server.start()
      try await Waiting.until("the session goes on") {
        let status = try await fixture.refreshSky(next, attempt: "two").status
        #expect([200, 503].contains(status))
        return status == 200
      }
    }
    try await server.remove()
  }

  @Test func `a server that does not answer holds nobody up for longer than the limit`()
    async throws
  {
    let server = try await PostgreSQLServer.started()
    let url = server.url()
    let engine = try await onThread { try PostgreSQLEngine(url: url, width: 2, limit: .seconds(1)) }
    try server.pause()
    for _ in 1...3 {
      await #expect(throws: BackendError.self) {
        try await onThread { try engine.transaction { try $0.run("SELECT 1") } }
      }
    }
    try server.proceed()
    try await Waiting.until("the engine works again") {
      try await onThread { (try? engine.transaction { try $0.run("SELECT 1") }) != nil }
    }
    try await server.remove()
  }

  @Test func `a server that says nothing is lost long before a statement is given up`()
    async throws
  {
    let server = try await PostgreSQLServer.started()
    let url = server.url()
    let engine = try await onThread {
      try PostgreSQLEngine(
        url: url,
        width: 3,
        limit: .seconds(3_600),
        silence: .seconds(1),
        clock: DatabaseClock()
      )
    }
    try server.pause()
    // More than there are connections, so that some wait for one, or try to make one.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...8 {
        group.addTask {
          await #expect(throws: BackendError.self) {
            try await onThread { try engine.transaction { try $0.run("SELECT 1") } }
          }
        }
      }
      try await group.waitForAll()
    }
    try server.proceed()
    try await Waiting.until("the engine works again") {
      try await onThread { (try? engine.transaction { try $0.run("SELECT 1") }) != nil }
    }
    try await server.remove()
  }

  @Test(arguments: [
    ("postgres://postgres@localhost:1/x", "cannot connect to PostgreSQL"),
    ("mysql://localhost/x", "--database takes a file or postgres://"),
  ])
  func `a database that cannot be used says why`(url: String, message: String) async throws {
    var configuration = BackendConfiguration.testing()
    configuration.database = url
    configuration.connector = ClusterLibraries(clock: nil)
    let backend = DevBackend(configuration)
    let error = await #expect(throws: BackendError.self) { try await backend.start() }
    #expect(error?.code == .database)
    #expect(error?.message.contains(message) == true)
  }

  @Test func `a database that is not UTF-8 is refused`() async throws {
    let server = try await PostgreSQLServer.shared.value
    let url = server.url()
    try await onThread {
      let connection = try PostgreSQLConnection(url: url, limit: .seconds(30))
      try connection.runOnce(
        "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
      )
      let error = #expect(throws: BackendError.self) {
        try PostgreSQLConnection(
          url: url.replacing("/postgres?", with: "/latin?"),
          limit: .seconds(30)
        )
      }
      #expect(error?.message.contains("ENCODING 'UTF8'") == true)
    }
  }
}
