import Synchronization
import Testing

@testable import ByteStream

@Suite struct EventLoopTests {
  static func loops() -> [EventLoop] { [EventLoop(), EventLoop(poller: PollPoller())] }

  @Test func `timers are called in the order of their deadlines`() async {
    for loop in Self.loops() {
      defer { loop.stop() }
      let order = Mutex<[Int]>([])
      let now = ContinuousClock.now
      await withCheckedContinuation { done in
        for (number, delay) in [(3, 30), (1, 10), (2, 20)] {
          loop.schedule(at: now + .milliseconds(delay)) {
            order.withLock { $0.append(number) }
            if number == 3 { done.resume() }
          }
        }
      }
      #expect(order.withLock { $0 } == [1, 2, 3])
    }
  }

  @Test func `a cancelled timer is not called`() async {
    for loop in Self.loops() {
      defer { loop.stop() }
      let wasCalled = Mutex(false)
      let now = ContinuousClock.now
      let timer = loop.schedule(at: now + .milliseconds(5)) { wasCalled.withLock { $0 = true } }
      loop.cancel(timer)
      await withCheckedContinuation { done in
        loop.schedule(at: now + .milliseconds(15)) { done.resume() }
      }
      #expect(!wasCalled.withLock { $0 })
    }
  }

  @Test func `waiting for a silent socket ends at the deadline`() async throws {
    for loop in Self.loops() {
      defer { loop.stop() }
      let listener = try await Listener(host: "127.0.0.1", port: 0, loop: loop)
      let silent = try await Connector(loop: loop, tls: nil).connect(
        host: "127.0.0.1",
        port: listener.port,
        deadline: .now + .seconds(60)
      )
      let error = await #expect(throws: ByteStreamError.self) {
        try await loop.waitUntilReady(
          silent.descriptor,
          for: .readable,
          until: .now + .milliseconds(10)
        )
      }
      #expect(error?.kind == .timeout)
    }
  }

  @Test func `bytes that a peer sent are there when the loop says so`() async throws {
    for loop in Self.loops() {
      defer { loop.stop() }
      let listener = try await Listener(host: "127.0.0.1", port: 0, loop: loop)
      listener.accept(tls: nil) { stream in try? stream.write([1, 2, 3]) }
      let client = try await Connector(loop: loop, tls: nil).connect(
        host: "127.0.0.1",
        port: listener.port,
        deadline: .now + .seconds(60)
      )
      try await loop.waitUntilReady(client.descriptor, for: .readable, until: .now + .seconds(60))
      var bytes = [UInt8](repeating: 0, count: 10)
      #expect(try client.readAll(into: &bytes) == .bytes(3))
      listener.close()
    }
  }

  @Test func `a port that is closed is a network error, quickly`() async throws {
    let loop = EventLoop()
    defer { loop.stop() }
    let listener = try await Listener(host: "127.0.0.1", port: 0, loop: loop)
    let port = listener.port
    listener.close()
    let error = await #expect(throws: ByteStreamError.self) {
      _ = try await Connector(loop: loop, tls: nil).connect(
        host: "127.0.0.1",
        port: port,
        deadline: .now + .seconds(60)
      )
    }
    #expect(error?.kind == .network)
  }
}

extension ByteStream {
  fileprivate func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try write($0) }
  }

  fileprivate func readAll(into bytes: inout [UInt8]) throws -> ReadResult {
    try bytes.withUnsafeMutableBytes { try read(into: $0) }
  }
}
