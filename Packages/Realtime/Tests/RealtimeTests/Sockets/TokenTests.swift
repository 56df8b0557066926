import GRPC
import RealtimeTesting
import Secrets
import Testing

@Suite(.timeLimit(.minutes(5))) struct TokenTests {
  /// A server that takes one token only, and says which ones it was shown.
  private func server(accepting token: String) async throws -> (EchoServer, Recorder) {
    let seen = Recorder()
    let server = try await EchoServer(handlers: [
      "/t/Guarded": .streaming { call in
        let authorization = call.metadata["authorization"] ?? ""
        seen.add(authorization)
        guard authorization == "Bearer \(token)" else { throw GRPCStatus(.unauthenticated) }
        while let message = try await call.next() { try await call.send(message) }
      },
      "/t/Revoked": .streaming { call in
        seen.add(call.metadata["authorization"] ?? "")
        try await call.send([1])
        throw GRPCStatus(.unauthenticated)
      },
    ])
    return (server, seen)
  }

  @Test func `R11: the provider is asked at every call`() async throws {
    let (server, seen) = try await server(accepting: "b")
    let tokens = ScriptedTokens("b")
    let channel = try server.channel(tokens: tokens)
    _ = try await channel.unary("/t/Guarded", message: [1])
    tokens.change(to: "c")
    await #expect(throws: GRPCError.self) { try await channel.unary("/t/Guarded", message: [1]) }
    #expect(seen.all == ["Bearer b", "Bearer c"])
  }

  @Test func `UNAUTHENTICATED asks for another token once, and the call is sent again`()
    async throws
  {
    let (server, seen) = try await server(accepting: "new")
    let tokens = ScriptedTokens("old", afterRefusals: ["new"])
    let channel = try server.channel(tokens: tokens)
    #expect(try await channel.unary("/t/Guarded", message: [5, 6]).message == [5, 6])
    #expect(seen.all == ["Bearer old", "Bearer new"])
    #expect(tokens.questions == [.token, .refused("old"), .token])
  }

  @Test func `R12: a server that refuses every token costs one question and one replay`()
    async throws
  {
    let (server, seen) = try await server(accepting: "never")
    let tokens = ScriptedTokens("a", afterRefusals: ["b", "c", "d"])
    let channel = try server.channel(tokens: tokens)
    let error = await #expect(throws: GRPCError.self) {
      try await channel.unary("/t/Guarded", message: [])
    }
    #expect(error?.status.code == .unauthenticated)
    #expect(seen.all == ["Bearer a", "Bearer b"])
  }

  @Test func `where there is no other token nothing is sent again`() async throws {
    let (server, seen) = try await server(accepting: "never")
    let channel = try server.channel(tokens: ScriptedTokens("a"))
    let error = await #expect(throws: GRPCError.self) {
      try await channel.unary("/t/Guarded", message: [])
    }
    #expect(error?.status.code == .unauthenticated)
    #expect(seen.all == ["Bearer a"])
  }

  @Test func `a streamed request is sent again with all its messages`() async throws {
    let (server, _) = try await server(accepting: "new")
    let channel = try server.channel(tokens: ScriptedTokens("old", afterRefusals: ["new"]))
    let call = try await channel.streaming("/t/Guarded")
    for number in 0..<20 { try await call.send([UInt8(number)]) }
    await call.closeSend()
    #expect(try await call.all() == (0..<20).map { [UInt8($0)] })
  }

  @Test func `once a message was delivered a call is not sent again`() async throws {
    let (server, seen) = try await server(accepting: "x")
    let tokens = ScriptedTokens("a", afterRefusals: ["b"])
    let channel = try server.channel(tokens: tokens)
    let call = try await channel.serverStreaming("/t/Revoked", message: [])
    #expect(try await call.next() == [1])
    let error = await #expect(throws: GRPCError.self) { try await call.next() }
    #expect(error?.status.code == .unauthenticated)
    #expect(seen.all == ["Bearer a"])
    #expect(tokens.questions == [.token])
    #expect(try await call.reportRefusedToken())
  }

  @Test func `a provider that throws ends the call, its error is passed on, nothing is sent`()
    async throws
  {
    struct SignedOut: Error {}
    let (server, seen) = try await server(accepting: "x")
    let tokens = ScriptedTokens("x")
    tokens.fail(with: SignedOut())
    let error = await #expect(throws: GRPCError.self) {
      try await server.channel(tokens: tokens).unary("/t/Guarded", message: [])
    }
    #expect(error?.status.code == .unauthenticated)
    #expect(error?.tokenError is SignedOut)
    #expect(seen.all.isEmpty)
  }

  @Test func `an explicit authorization replaces the token and renews nothing`() async throws {
    let (server, seen) = try await server(accepting: "x")
    let tokens = ScriptedTokens("a", afterRefusals: ["x"])
    let channel = try server.channel(tokens: tokens)
    await #expect(throws: GRPCError.self) {
      try await channel.unary(
        "/t/Guarded",
        message: [],
        options: .with(["authorization": "Basic z"])
      )
    }
    var options = GRPCCallOptions()
    options.carriesToken = false
    await #expect(throws: GRPCError.self) {
      try await channel.unary("/t/Guarded", message: [], options: options)
    }
    #expect(seen.all == ["Basic z", ""])
    #expect(tokens.questions.isEmpty)
  }

  @Test func `a provider that never answers does not outlive the deadline`() async throws {
    let (server, _) = try await server(accepting: "x")
    let channel = try server.channel(tokens: SilentTokens())
    let error = await #expect(throws: GRPCError.self) {
      try await channel.unary(
        "/t/Guarded",
        message: [],
        options: .init(deadline: .milliseconds(100))
      )
    }
    #expect(error?.status.code == .deadlineExceeded)
  }

  @Test func `a token that no header can carry is not sent`() async throws {
    let (server, seen) = try await server(accepting: "x")
    let error = await #expect(throws: GRPCError.self) {
      try await server.channel(tokens: ScriptedTokens("a\r\nx: y"))
        .unary("/t/Guarded", message: [])
    }
    #expect(error?.status.code == .unauthenticated)
    #expect(seen.all.isEmpty)
  }
}

private struct SilentTokens: TokenProvider {
  func token() async throws -> Secret? {
    await Gate.untilCancelled()
    return nil
  }

  func tokenWasRefused(_ token: Secret) async throws -> Bool { false }
}
