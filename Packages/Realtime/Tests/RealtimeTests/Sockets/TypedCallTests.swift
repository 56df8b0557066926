import GRPC
import Secrets
import Testing

@Suite(.timeLimit(.minutes(5))) struct TypedCallTests {
  private struct Unreadable: Error, CustomStringConvertible {
    let description = "no number"
  }

  /// A method whose messages are numbers in decimal digits.
  private func method(_ path: String) -> GRPCMethod<Int, Int> {
    GRPCMethod(
      path,
      encode: { number in
        guard number >= 0 else { throw Unreadable() }
        return Array("\(number)".utf8)
      },
      decode: { bytes in
        guard let number = Int(String(decoding: bytes, as: UTF8.self)) else { throw Unreadable() }
        return number
      }
    )
  }

  @Test func `calls of all four kinds with values for messages`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    #expect(try await channel.unary(method("/t/Echo"), 42) == 42)
    let options = try GRPCCallOptions.with(["count": "3"])
    let repeated = try await channel.serverStreaming(method("/t/Repeat"), 7, options: options)
    for _ in 0..<3 { #expect(try await repeated.next() == 7) }
    #expect(try await repeated.next() == nil)
    let sum = try await channel.streaming(method("/t/Sum"))
    for number in [1, 22, 333] { try await sum.send(number) }
    #expect(try await sum.onlyResponse() == 6)
    let relay = try await channel.streaming(method("/t/Relay"))
    for number in 0..<10 {
      try await relay.send(number)
      #expect(try await relay.next() == number)
    }
    await relay.closeSend()
    #expect(try await relay.next() == nil)
  }

  @Test func `what cannot be encoded is not sent, what cannot be decoded ends the call`()
    async throws
  {
    let echo = try await EchoServer(handlers: [
      "/t/Words": .serverStreaming { _, call in
        try await call.send(Array("one".utf8))
        await Gate.untilCancelled()
      }
    ])
    let channel = try echo.channel()
    let unsent = await #expect(throws: GRPCError.self) {
      try await channel.unary(method("/t/Echo"), -1)
    }
    #expect(unsent?.status.code == .internalError)
    #expect(unsent?.status.message.contains("no number") == true)
    let words = try await channel.serverStreaming(method("/t/Words"), 1)
    let error = await #expect(throws: GRPCError.self) { try await words.next() }
    #expect(error?.status.code == .internalError)
    let after = await #expect(throws: GRPCError.self) { try await words.next() }
    #expect(after?.status.code == .cancelled)
  }

  @Test func `a client-streaming call with none or several answers is INTERNAL`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    for count in ["0", "2"] {
      let options = try GRPCCallOptions.with(["count": count])
      let call = try await channel.serverStreaming(method("/t/Repeat"), 1, options: options)
      let error = await #expect(throws: GRPCError.self) { try await call.onlyResponse() }
      #expect(error?.status.code == .internalError)
    }
  }

  @Test func `a provider may be synchronous`() async throws {
    struct Fixed: TokenProvider {
      func token() throws -> Secret? { Secret("fixed") }
      func tokenWasRefused(_ token: Secret) throws -> Bool { false }
    }
    let seen = Recorder()
    let echo = try await EchoServer(handlers: [
      "/t/Who": .unary { message, call in
        seen.add(call.metadata["authorization"] ?? "")
        return message
      }
    ])
    #expect(try await echo.channel(tokens: Fixed()).unary(method("/t/Who"), 1) == 1)
    #expect(seen.all == ["Bearer fixed"])
  }
}
