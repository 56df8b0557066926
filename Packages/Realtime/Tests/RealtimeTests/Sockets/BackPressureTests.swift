import GRPC
import HTTP2
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct BackPressureTests {
  @Test func `a client that does not read stops the server within the window`() async throws {
    let sent = SentBytes()
    let echo = try await EchoServer(handlers: [
      "/t/Flood": .serverStreaming { message, call in
        for _ in 0..<2000 {
          try await call.send(message)
          sent.add(message.count)
        }
      }
    ])
    var configuration = GRPCChannelConfiguration()
    configuration.http2.streamWindow = 256 << 10
    let channel = try echo.channel(configuration: configuration)
    let call = try await channel.serverStreaming(
      "/t/Flood",
      message: [UInt8](repeating: 1, count: 10_000)
    )
    #expect(try await call.next()?.count == 10_000)
    // While this call goes there and back a thousand times, a server that nothing stops would
    // send all of the 20 MB.
    for _ in 0..<1000 { _ = try await channel.unary("/t/Echo", message: []) }
    // Window, what the server may keep, and what its socket took.
    #expect(sent.total < 256 << 10 + 64 << 10 + 100_000)
    var count = 1
    while try await call.next() != nil { count += 1 }
    #expect(count == 2000)
  }

  @Test func `a server that does not read suspends the client's send`() async throws {
    let goOn = Gate()
    let echo = try await EchoServer(handlers: [
      "/t/Lazy": .streaming { call in
        await goOn.wait()
        while try await call.next() != nil {}
      }
    ])
    let channel = try echo.channel()
    let call = try await channel.streaming("/t/Lazy")
    let sent = SentBytes()
    let sender = Task {
      for _ in 0..<200 {
        try await call.send([UInt8](repeating: 1, count: 100_000))
        sent.add(100_000)
      }
      await call.closeSend()
    }
    for _ in 0..<1000 { _ = try await channel.unary("/t/Echo", message: []) }
    #expect(sent.total < 6 << 20)
    goOn.open()
    #expect(try await call.next() == nil)
    try await sender.value
    #expect(sent.total == 20_000_000)
  }

  @Test func `a message larger than the window arrives`() async throws {
    let echo = try await EchoServer()
    var configuration = GRPCChannelConfiguration()
    configuration.http2.streamWindow = 65_535
    let channel = try echo.channel(configuration: configuration)
    let message = [UInt8](repeating: 3, count: 3_000_000)
    for _ in 0..<5 {
      let isSame = try await channel.unary("/t/Echo", message: message).message == message
      #expect(isSame)
    }
  }
}

private final class SentBytes: Sendable {
  private let bytes = Atomic(0)

  var total: Int { bytes.load(ordering: .relaxed) }

  func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }
}
