import Synchronization
import Testing

@testable import AuthNetworking

/// Tasks on a transport's own thread.
@Suite(.timeLimit(.minutes(5))) struct CurlExecutorTests {
  /// Set by one task, looked at by others that do not wait for it.
  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  private static let echo: @Sendable (TestConnection) throws -> Void = { connection in
    while let request = connection.request() {
      try connection.respond(body: Array(request.line.utf8))
    }
  }

  @Test func `a task stays on the thread from one request to the next`() async throws {
    try await withServer(script: CurlExecutorTests.echo) { server in
      let transport = try CurlTransport(.unhurried())
      let threads = try await withTaskExecutorPreference(transport.executor) {
        var threads = [DetachedThread.current]
        for number in 0..<3 {
          let response = try await server.fetch(.get, "/\(number)", transport: transport)
          #expect(response.body == Array("GET /\(number) HTTP/1.1".utf8))
          threads.append(DetachedThread.current)
        }
        return threads
      }
      #expect(Set(threads).count == 1)
      #expect(server.connections == 1)
    }
  }

  /// How many of the tasks prefer the thread.
  @Test(arguments: [0, 100, 200])
  func `many requests at once all get their own answer, wherever their tasks run`(
    preferring: Int
  ) async throws {
    try await withServer(script: CurlExecutorTests.echo) { server in
      let transport = try CurlTransport()
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<200 {
          let executor = number < preferring ? transport.executor : nil
          group.addTask(executorPreference: executor) {
            let response = try await server.fetch(.get, "/\(number)", transport: transport)
            return response.body == Array("GET /\(number) HTTP/1.1".utf8)
          }
        }
        for try await isRight in group { #expect(isRight) }
      }
      #expect(server.requests.count == 200)
    }
  }

  @Test func `a task that waits there holds up no other, nor does one that never sleeps`()
    async throws
  {
    try await withServer(script: CurlExecutorTests.echo) { server in
      let transport = try CurlTransport()
      let release = Latch()
      let isOver = Flag()
      try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask(executorPreference: transport.executor) {
          await release.wait()
          return 0
        }
        group.addTask(executorPreference: transport.executor) {
          while !isOver.isSet { await Task.yield() }
          return 0
        }
        for _ in 0..<10 {
          group.addTask(executorPreference: transport.executor) {
            try await server.fetch(transport: transport).status
          }
        }
        var answers: [Int] = []
        while answers.count < 10, let answer = try await group.next() { answers.append(answer) }
        #expect(answers == Array(repeating: 200, count: 10))
        isOver.set()
        release.open()
        try await group.waitForAll()
      }
    }
  }

  @Test func `a request ends there by its timeout, and by cancellation`() async throws {
    let received = Latch()
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      if connection.request()?.line.contains("/cancelled") == true { received.open() }
      connection.waitForClose()
    }
    try await withServer(script: script) { server in
      let transport = try CurlTransport()
      let late = try await withTaskExecutorPreference(transport.executor) {
        try await server.failure(transport: transport) { $0.timeout = .milliseconds(50) }
      }
      #expect(late == .timeout)
      let url = try HTTPURL(parsing: "http://127.0.0.1:\(server.port)/cancelled")
      let task = Task(executorPreference: transport.executor) {
        try await transport.send(HTTPRequest(method: .get, url: url, timeout: .seconds(100)))
      }
      await received.wait()
      task.cancel()
      let error = await #expect(throws: TransportError.self) { try await task.value }
      #expect(error?.code == .cancelled)
    }
  }

  @Test(arguments: [0, 50])
  func `no job is lost when the transport goes away, nor one that comes later`(
    tasksBefore: Int
  ) async throws {
    let isGone = Flag()
    let began = Latch()
    var transport: CurlTransport? = try CurlTransport()
    let executor = try #require(transport).executor
    let rounds = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<tasksBefore {
        group.addTask(executorPreference: executor) {
          began.open()
          while !isGone.isSet { await Task.yield() }
          return 1
        }
      }
      if tasksBefore > 0 { await began.wait() }
      transport = nil
      for _ in tasksBefore..<100 {
        group.addTask(executorPreference: executor) {
          await Task.yield()
          return 1
        }
      }
      isGone.set()
      return await group.reduce(0, +)
    }
    #expect(transport == nil)
    #expect(rounds == 100)
  }

  @Test func `its last user may be a task of its own`() async throws {
    let closed = Latch()
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      try connection.respondToAll()
      closed.open()
    }
    try await withServer(script: script) { server in
      func task() throws -> Task<Int, any Error> {
        let transport = try CurlTransport()
        return Task(executorPreference: transport.executor) {
          try await server.fetch(transport: transport).status
        }
      }
      let status = try await task().value
      #expect(status == 200)
      await closed.wait()
    }
  }
}
