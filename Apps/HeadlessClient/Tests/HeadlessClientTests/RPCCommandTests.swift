import GRPC
import Testing

@testable import HeadlessClient

/// `rpc` against a server in the test's process.
@Suite(.timeLimit(.minutes(5))) struct RPCCommandTests {
  private let home = TemporaryDirectory()

  private func server() async throws -> GRPCServer {
    try await GRPCServer(handlers: [
      "/t.T/Unary": .unary { message, call in
        call.setTrailers(call.metadata)
        return message
      },
      "/t.T/Twice": .serverStreaming { message, call in
        try await call.send(message)
        try await call.send(message)
      },
      "/t.T/Sum": .streaming { call in
        var sum = 0
        while let message = try await call.next() { sum += message.reduce(1) { $0 + Int($1) } }
        try await call.send([UInt8(sum)])
      },
      "/t.T/Relay": .streaming { call in
        while let message = try await call.next() { try await call.send(message) }
      },
      "/t.T/Greet": .streaming { call in
        try await call.send([0xAA])
        throw GRPCStatus(.aborted, "enough")
      },
    ])
  }

  private func run(
    _ server: GRPCServer,
    _ line: [String],
    input: String = ""
  ) async -> (status: Int, lines: [String], messages: String) {
    let streams = MemoryStreams(input: input)
    let global = [
      "--json", "--home", home.path, "--realtime-url", "http://127.0.0.1:\(server.port)",
    ]
    let status = await streams.run(global + ["rpc", "--no-token"] + line)
    let lines = streams.results.split(separator: "\n").map(String.init)
    return (Int(status.rawValue), lines, streams.messages)
  }

  private func message(_ hex: String) -> String { #"{"message":"\#(hex)"}"# }

  @Test func `Each kind of call, with its messages from the command line or from the input`()
    async throws
  {
    let server = try await server()
    defer { server.stop() }
    let cases: [(line: [String], input: String, messages: [String])] = [
      (["/t.T/Unary"], "", [""]),
      (["/t.T/Unary", "--message-hex", "0102"], "", ["0102"]),
      (["/t.T/Unary", "--messages", "-"], "0102\n", ["0102"]),
      (["/t.T/Unary", "--messages", "-", "--gzip"], "\r\n", [""]),
      (["/t.T/Twice", "--message-hex", "03"], "", ["03", "03"]),
      (["/t.T/Sum", "--message-hex", "03", "--message-hex", ""], "", ["05"]),
      (["/t.T/Sum", "--messages", "-"], "", ["00"]),
      (["/t.T/Sum", "--message-hex", "0a", "--messages", "-"], "01\n\n02", ["11"]),
      (["/t.T/Relay", "--messages", "-"], "01\n\n02", ["01", "", "02"]),
    ]
    for example in cases {
      let outcome = await run(server, example.line, input: example.input)
      #expect(outcome.status == 0, "\(example.line): \(outcome.messages)")
      #expect(outcome.lines.dropLast() == example.messages.map(message)[...])
      #expect(outcome.lines.last?.hasPrefix(#"{"status":0,"statusName":"OK""#) == true)
    }
  }

  @Test func `A line that is no message is 65: from the start nothing is called`() async throws {
    let server = try await server()
    defer { server.stop() }
    let first = await run(server, ["/t.T/Relay", "--messages", "-"], input: "0g\n01")
    #expect(first.status == 65)
    #expect(first.lines.isEmpty)
    let later = await run(server, ["/t.T/Relay", "--messages", "-"], input: "01\n0")
    #expect(later.status == 65)
    #expect(later.lines.last?.hasPrefix(#"{"status":1,"statusName":"CANCELLED""#) == true)
    #expect(later.messages.contains(#""code":"invalidInput""#))
  }

  @Test func `A server that ends the call ends the command, whatever the input still has`()
    async throws
  {
    let server = try await server()
    defer { server.stop() }
    let input = String(repeating: "00\n", count: 100_000)
    let outcome = await run(server, ["/t.T/Greet", "--messages", "-"], input: input)
    #expect(outcome.status == 69)
    #expect(outcome.lines.first == message("aa"))
    #expect(outcome.lines.last?.hasPrefix(#"{"status":10,"statusName":"ABORTED""#) == true)
  }

  @Test(arguments: [false, true])
  func `While it waits a person sees that, and nothing of it stays`(isForPrograms: Bool)
    async throws
  {
    let streams = MemoryStreams()
    let server = try await GRPCServer(handlers: [
      "/t.T/Slow": .serverStreaming { message, call in
        for _ in 0..<2 {
          // Programs see none, so that there is nothing to wait for.
          let before = streams.messages.utf8.count
          while !isForPrograms, streams.messages.utf8.count == before {
            try await Task.sleep(for: .milliseconds(20))
          }
          try await call.send(message)
        }
      }
    ])
    defer { server.stop() }
    let url = "http://127.0.0.1:\(server.port)"
    let status = await streams.run(
      ["--home", home.path, "--realtime-url", url, "rpc", "/t.T/Slow", "--no-token"]
        + ["--message-hex", "01"] + (isForPrograms ? ["--json"] : []),
      messagesAreLive: true
    )
    #expect(status == .done)
    #expect(streams.results.hasPrefix(isForPrograms ? message("01") + "\n" : "01\n01\n"))
    #expect(streams.messages.contains("⠋ waiting for \(url)") == !isForPrograms)
    #expect(isForPrograms || streams.messages.hasSuffix("\r\u{1B}[K"))
  }

  @Test func `Repeated and binary metadata come back as lists`() async throws {
    let server = try await server()
    defer { server.stop() }
    let metadata = ["x: 1", "x: 2", "y-bin: AP8="].flatMap { ["--metadata", $0] }
    let outcome = await run(server, ["/t.T/Unary"] + metadata)
    #expect(outcome.status == 0)
    #expect(outcome.lines.last?.contains(#""x":["1","2"],"y-bin":["AP8"]"#) == true)
  }
}
