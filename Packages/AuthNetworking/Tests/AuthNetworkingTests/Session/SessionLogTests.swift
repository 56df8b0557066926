import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// What the injected handler is told.
struct SessionLogTests {
  /// The lines that are about no request: what the session is, and what keeps a refresh from
  /// being sent.
  private static let ofNoRequest = ["The session is", "No refresh", "The stored session"]

  /// What goes wrong with a refresh.
  private static let faults: [(name: String, fault: RotatingServer.Fault?)] = [
    ("nothing", nil),
    ("the request is lost", .lostRequest),
    ("the answer is lost", .lostAnswer),
    ("the server is busy", .answer(status: 503, headers: ["Retry-After": "3"])),
    ("the server answers with HTML", .answer(status: 200, body: "<html></html>")),
    ("the server refuses", .answer(status: 401, body: #"{"error":"invalid_grant"}"#)),
  ]

  @Test(arguments: faults)
  func `each line about a request carries the id that was sent with it`(
    name: String,
    fault: RotatingServer.Fault?
  ) async throws {
    let harness = SessionHarness(signedIn: false)
    let controller = try harness.controller()
    try await controller.signIn()
    _ = try await controller.get()
    harness.expireToken()
    if let fault { harness.server.failRefreshes(fault) }
    _ = try? await controller.get()
    _ = await controller.logout()

    let sent = Set(harness.network.requests.compactMap { $0.headers["X-Request-Id"] })
    for entry in harness.log.all {
      if SessionLogTests.ofNoRequest.contains(where: entry.message.hasPrefix) { continue }
      let id = try #require(entry.requestID, "\(entry)")
      #expect(sent.contains(id), "\(entry)")
      #expect(entry.description.hasSuffix("[\(id)]"))
    }
    let named = Set(harness.log.all.compactMap(\.requestID))
    #expect(named == sent)
  }

  @Test func `each line about a refresh carries the attempt's id, from its sending to its storing`()
    async throws
  {
    let harness = SessionHarness()
    let controller = try harness.controller()
    harness.expireToken()
    _ = try await controller.get()

    let id = try #require(harness.server.counts.refreshIDs.first)
    let lines = harness.log.all.filter { $0.requestID == id }
    #expect(
      lines.map(\.message) == [
        "Refreshing", "POST: 200", "The session was refreshed", "Storing the refreshed session",
      ]
    )
    #expect(lines.map(\.level) == [.debug, .debug, .info, .debug])
  }

  @Test func `what cannot be stored is an error of the attempt that brought it`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    harness.afterRefresh.shut()
    let refresh = Task { try? await controller.refresh() }
    await harness.afterRefresh.arrival()
    harness.storage.failWrites(
      with: StorageError(.io, "The disk is full", advice: "Make room")
    )
    harness.afterRefresh.open()
    await refresh.value

    let id = try #require(harness.server.counts.refreshIDs.first)
    let errors = harness.log.all.filter { $0.level == .error }
    #expect(errors.map(\.requestID) == [id])
    #expect(errors.first?.message.contains("disk is full") == true)
  }

  @Test func `the end of a session is logged before its waiter goes on`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    harness.server.revokeEverything()
    let error = await failure { () throws(AuthError) in try await controller.refresh() }

    #expect(error?.code == .sessionEnded)
    #expect(harness.log.all.last?.message == "The session is signed out, revoked")
  }

  @Test func `levels are ordered by how much they matter`() {
    typealias Level = SessionLogEntry.Level
    #expect(Level.allCases.sorted() == [.debug, .info, .warning, .error])
  }
}
