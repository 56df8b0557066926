import GRPC
import Testing

@Suite(.timeLimit(.minutes(5))) struct EndOfCallTests {
  @Test func `a deadline ends the call here and there`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    // The connection is made first, so that the time goes to the call.
    _ = try await channel.unary("/t/Echo", message: [])
    let error = await #expect(throws: GRPCError.self) {
      try await channel.unary("/t/Hang", message: [], options: .init(deadline: .seconds(1)))
    }
    #expect(error?.status.code == .deadlineExceeded)
    await echo.isCancelled.wait()
  }

  @Test func `a deadline in the past ends the call at once`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let error = await #expect(throws: GRPCError.self) {
      try await channel.unary("/t/Hang", message: [], options: .init(deadline: .zero))
    }
    #expect(error?.status.code == .deadlineExceeded)
  }

  @Test func `the server sees the deadline`() async throws {
    let echo = try await EchoServer(handlers: [
      "/t/Deadline": .unary { _, call in
        let left = call.deadline.map { $0 - .now } ?? .zero
        return left > .seconds(3000) && left <= .seconds(3600) ? [1] : [0]
      }
    ])
    let channel = try echo.channel()
    let answer = try await channel.unary(
      "/t/Deadline",
      message: [],
      options: .init(deadline: .seconds(3600))
    )
    #expect(answer.message == [1])
  }

  @Test func `cancelling the task ends the call, and the server sees it`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let task = Task { try await channel.unary("/t/Hang", message: []) }
    await echo.hasBegun.wait()
    task.cancel()
    let error = await #expect(throws: GRPCError.self) { try await task.value }
    #expect(error?.status.code == .cancelled)
    await echo.isCancelled.wait()
  }

  @Test(arguments: [false, true])
  func `nothing of a call is given out after it was cancelled`(byItsTask: Bool) async throws {
    let echo = try await EchoServer(handlers: [
      "/t/Endless": .serverStreaming { message, call in
        for _ in 0..<1000 { try await call.send(message) }
        await Gate.untilCancelled()
      }
    ])
    let channel = try echo.channel()
    let call = try await channel.serverStreaming("/t/Endless", message: [1])
    // All is there before the first message is taken: the others come with it.
    for _ in 0..<50 { _ = try await channel.unary("/t/Echo", message: []) }
    #expect(try await call.next() == [1])
    #expect(try await call.next() == [1])
    let error = await #expect(throws: GRPCError.self) {
      if byItsTask {
        withUnsafeCurrentTask { $0?.cancel() }
      } else {
        call.cancel()
      }
      _ = try await call.next()
    }
    #expect(error?.status.code == .cancelled)
  }

  @Test func `a cancelled call never ends well with less than all of its messages`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let call = try await channel.serverStreaming(
      "/t/Repeat",
      message: [1],
      options: try .with(["count": "1000"])
    )
    for _ in 0..<50 { _ = try await channel.unary("/t/Echo", message: []) }
    #expect(try await call.next() == [1])
    call.cancel()
    do {
      let rest = try await call.all()
      #expect(rest.count == 999)
    } catch let error as GRPCError {
      // The end had not come yet.
      #expect(error.status.code == .cancelled)
    }
  }

  @Test func `dropping a call cancels it at the server`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    var call: GRPCCall? = try await channel.serverStreaming("/t/Hang", message: [])
    await echo.hasBegun.wait()
    #expect(call != nil)
    call = nil
    await echo.isCancelled.wait()
  }

  @Test func `shutting the channel down ends its calls and its states`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let call = try await channel.serverStreaming("/t/Hang", message: [])
    await echo.hasBegun.wait()
    channel.shutDown()
    let error = await #expect(throws: GRPCError.self) { try await call.next() }
    #expect(error?.status.code == .unavailable)
    await echo.isCancelled.wait()
    var last: GRPCChannelState?
    for await state in channel.states() { last = state }
    #expect(last == .shutDown)
    let later = await #expect(throws: GRPCError.self) {
      try await channel.unary("/t/Echo", message: [])
    }
    #expect(later?.status.code == .unavailable)
  }

  @Test func `a server that stops at once ends its calls with UNAVAILABLE`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let call = try await channel.serverStreaming("/t/Hang", message: [])
    await echo.hasBegun.wait()
    echo.server.stop()
    let error = await #expect(throws: GRPCError.self) { try await call.next() }
    #expect(error?.status.code == .unavailable)
    #expect(error?.cause == .network)
  }

  @Test func `a server that stops gracefully lets its calls end`() async throws {
    let goOn = Gate()
    let begun = Gate()
    let echo = try await EchoServer(handlers: [
      "/t/Slow": .unary { message, _ in
        begun.open()
        await goOn.wait()
        return message
      }
    ])
    let channel = try echo.channel()
    async let answer = channel.unary("/t/Slow", message: [1])
    await begun.wait()
    async let shutdown: Void = echo.server.shutdown()
    goOn.open()
    #expect(try await answer.message == [1])
    await shutdown
  }

  @Test func `nobody there is UNAVAILABLE because of the network`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    echo.server.stop()
    let error = await #expect(throws: GRPCError.self) {
      try await channel.unary("/t/Echo", message: [])
    }
    #expect(error?.status.code == .unavailable)
    #expect(error?.cause == .network)
    guard case .waiting = channel.state else {
      Issue.record("the channel is \(channel.state)")
      return
    }
  }
}
