import GroupMessages
import SessionModels
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CurrentUserTests {
  @Test(arguments: [
    (MessageDialect.skyConnect, "/auth/me", #"{"id":42,"username":"kim"}"#),
    (.ksn, "/users/me", #"{"success":true,"data":{"id":"42","grade":null}}"#),
  ])
  func `each dialect has its own call`(
    dialect: MessageDialect,
    path: String,
    body: String
  ) async throws {
    let requests = ScriptedRequests { _, _ in MessageResponse(200, body) }
    #expect(try await CurrentUser(requests: requests, dialect: dialect).id() == UserID("42"))
    #expect(requests.requests == [MessageRequest(method: .get, path: path)])
  }

  @Test func `however many ask, the server is asked once`() async throws {
    let gate = Gate()
    let requests = ScriptedRequests { _, _ in
      await gate.pass()
      return MessageResponse(200, #"{"id":"user-1"}"#)
    }
    let user = CurrentUser(requests: requests, dialect: .skyConnect)
    let ids = try await withThrowingTaskGroup(of: UserID.self) { group in
      for _ in 0..<50 { group.addTask { try await user.id() } }
      await gate.waitForArrivals()
      gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(ids == Array(repeating: .me, count: 50))
    #expect(try await user.id() == .me)
    #expect(user.known == .me)
    #expect(requests.requests.count == 1)
  }

  @Test func `what is known already is not asked for`() async throws {
    let requests = ScriptedRequests { _, _ in throw PortError() }
    let user = CurrentUser(requests: requests, dialect: .skyConnect, known: .me)
    #expect(try await user.id() == .me)
    #expect(try await user.isMine(.fixture(1, sender: .me)))
    #expect(try await !user.isMine(.fixture(1, sender: .other)))
    #expect(requests.requests.isEmpty)
  }

  @Test func `a failure is not kept`() async throws {
    let requests = ScriptedRequests { _, index in
      if index == 0 { throw PortError() }
      return MessageResponse(200, #"{"id":"user-1"}"#)
    }
    let user = CurrentUser(requests: requests, dialect: .skyConnect)
    let error = await #expect(throws: MessageError.self) { try await user.id() }
    #expect(error?.isTemporary == true)
    #expect(user.known == nil)
    #expect(try await user.id() == .me)
  }

  @Test func `a missing call is a refusal, not a missing group`() async {
    let requests = ScriptedRequests { _, _ in MessageResponse(404, "") }
    let user = CurrentUser(requests: requests, dialect: .skyConnect)
    let error = await #expect(throws: MessageError.self) { try await user.id() }
    #expect(error?.code == "rejected")
  }

  @Test(arguments: [#"{"id":""}"#, #"{"id":null}"#, "{}", "<html>", #"{"id":1.5}"#])
  func `an answer without an id is malformed, and not kept`(body: String) async {
    let requests = ScriptedRequests { _, _ in MessageResponse(200, body) }
    let user = CurrentUser(requests: requests, dialect: .skyConnect)
    let error = await #expect(throws: MessageError.self) { try await user.id() }
    #expect(error?.code == "malformedAnswer")
    #expect(user.known == nil)
  }

  @Test func `R10: cancelling one caller ends it, and not the look-up of the others`() async throws
  {
    let gate = Gate()
    let requests = ScriptedRequests { _, _ in
      await gate.pass()
      try Task.checkCancellation()
      return MessageResponse(200, #"{"id":"user-1"}"#)
    }
    let user = CurrentUser(requests: requests, dialect: .skyConnect)
    let impatient = Task { try await user.id() }
    await gate.waitForArrivals()
    let patient = Task { try await user.id() }
    impatient.cancel()
    // Ends although the gate is closed still.
    let error = await #expect(throws: MessageError.self) { try await impatient.boundValue }
    #expect(error?.code == "cancelled")
    gate.open()
    #expect(try await patient.boundValue == .me)
    #expect(requests.requests.count == 1)
  }

  @Test func `a caller that is cancelled before it asks asks nothing`() async {
    let requests = ScriptedRequests { _, _ in MessageResponse(200, #"{"id":"user-1"}"#) }
    let user = CurrentUser(requests: requests, dialect: .skyConnect)
    let gate = Gate()
    let caller = Task {
      await gate.pass()
      return try await user.id()
    }
    caller.cancel()
    gate.open()
    await #expect(throws: MessageError.self) { try await caller.value }
    #expect(requests.requests.isEmpty)
  }

  @Test func `R4: a late answer is never taken for the next user's`() async throws {
    let late = Gate()
    let next = Gate()
    let requests = ScriptedRequests { _, index in
      await (index == 0 ? late : next).pass()
      return MessageResponse(200, index == 0 ? #"{"id":"old"}"# : #"{"id":"new"}"#)
    }
    let user = CurrentUser(requests: requests, dialect: .skyConnect)
    let (waiter, lateAnswerWasTaken) = TaskEnd.observe { try await user.id() }
    await late.waitForArrivals()
    user.reset()
    let error = await #expect(throws: MessageError.self) { try await waiter.boundValue }
    #expect(error?.code == "sessionChanged")

    let nextWaiter = Task { try await user.id() }
    await next.waitForArrivals()
    late.open()
    await lateAnswerWasTaken()
    #expect(user.known == nil)
    next.open()
    #expect(try await nextWaiter.boundValue == UserID("new"))
    #expect(user.known == UserID("new"))
    #expect(requests.requests.count == 2)
  }

  @Test func `reset forgets, or says who is next`() async throws {
    let requests = ScriptedRequests { _, _ in MessageResponse(200, #"{"id":"user-1"}"#) }
    let user = CurrentUser(requests: requests, dialect: .skyConnect)
    _ = try await user.id()
    user.reset()
    #expect(user.known == nil)
    user.reset(known: .other)
    #expect(try await user.id() == .other)
    #expect(requests.requests.count == 1)
  }
}
