import GroupMessages
import SessionModels
import Testing

/// Who the user is goes with the stored session: known offline, and never another one's.
@Suite(.timeLimit(.minutes(10)))
struct StoredUserTests {
  private let storage = InMemoryMessageStorage()

  private func user(_ id: String) -> ScriptedRequests {
    ScriptedRequests { _, _ in MessageResponse(200, #"{"id":"\#(id)"}"#) }
  }

  private func current(_ requests: ScriptedRequests) -> CurrentUser {
    CurrentUser(requests: requests, dialect: .skyConnect, storage: storage)
  }

  @Test func `what was asked once is known at the next start, offline`() async throws {
    let online = user("user-1")
    #expect(try await current(online).id() == .me)
    #expect(online.requests.map(\.period?.generation) == [1])
    let offline = ScriptedRequests { _, _ in throw PortError() }
    let next = current(offline)
    #expect(next.known == .me)
    #expect(try await next.id() == .me)
    #expect(offline.requests.isEmpty)
  }

  @Test func `R4: another period forgets him, without anybody saying so`() async throws {
    let requests = user("user-1")
    let current = current(requests)
    _ = try await current.id()
    storage.begin(SessionPeriod(generation: 2))
    #expect(current.known == nil)
    #expect(try await current.id() == .me)
    #expect(requests.requests.map(\.period?.generation) == [1, 2])
    storage.begin(nil)
    #expect(current.known == nil)
  }

  @Test func `R4: an answer that comes after a change of account is not stored, and not taken`()
    async throws
  {
    let gate = Gate()
    let requests = ScriptedRequests { _, index in
      if index == 0 { await gate.pass() }
      return MessageResponse(200, index == 0 ? #"{"id":"old"}"# : #"{"id":"new"}"#)
    }
    let current = current(requests)
    let waiter = Task { try await current.id() }
    await gate.waitForArrivals()
    storage.begin(SessionPeriod(generation: 2))
    gate.open()
    let error = await #expect(throws: MessageError.self) { try await waiter.boundValue }
    #expect(error?.code == "sessionChanged")
    #expect(current.known == nil)
    #expect(try await current.id() == UserID("new"))
    #expect(self.current(user("another")).known == UserID("new"))
  }

  @Test func `what cannot be stored is asked for again, and answered all the same`() async throws {
    let full = FullStorage()
    let requests = user("user-1")
    let current = CurrentUser(requests: requests, dialect: .skyConnect, storage: full)
    #expect(try await current.id() == .me)
    #expect(CurrentUser(requests: requests, dialect: .skyConnect, storage: full).known == nil)
  }

  /// A disk with no room left.
  private struct FullStorage: MessageStorage {
    struct Full: Error {}

    func period() -> SessionPeriod? { SessionPeriod(generation: 1) }
    func value(forKey key: String, in period: SessionPeriod) -> [UInt8]? { nil }
    func keys(in period: SessionPeriod) -> [String] { [] }
    func update(
      _ key: String,
      in period: SessionPeriod,
      _ change: @escaping @Sendable ([UInt8]?) -> StoredValueChange
    ) async throws { throw Full() }
  }
}
