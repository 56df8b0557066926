import GRPC
import Testing

@Suite(.timeLimit(.minutes(5))) struct CallTests {
  @Test(arguments: [0, 1, 16_384, 1 << 20, (4 << 20) - 5])
  func `a unary call brings back what was sent`(size: Int) async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let message = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    let isSame = try await channel.unary("/t/Echo", message: message).message == message
    #expect(isSame)
  }

  @Test func `metadata goes both ways, binary and repeated`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    var options = GRPCCallOptions()
    try options.metadata.append("a", for: "x-text")
    try options.metadata.append("b", for: "x-text")
    try options.metadata.append([0, 255], for: "y-bytes-bin")
    let answer = try await channel.unary("/t/Echo", message: [], options: options)
    #expect(answer.metadata.texts("x-text") == ["a", "b"])
    #expect(answer.trailers.binaries("y-bytes-bin") == [[0, 255]])
  }

  @Test func `every message of a stream comes, in order`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let call = try await channel.serverStreaming(
      "/t/Repeat",
      message: [7],
      options: .with(["count": "5000"])
    )
    #expect(try await call.all() == [[UInt8]](repeating: [7], count: 5000))
  }

  @Test func `messages go both ways on one stream`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let call = try await channel.streaming("/t/Relay")
    for size in [1, 100_000, 0, 3] {
      let message = [UInt8](repeating: 9, count: size)
      try await call.send(message)
      #expect(try await call.next() == message)
    }
    await call.closeSend()
    #expect(try await call.next() == nil)
  }

  @Test func `a client streams more than any window holds`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let call = try await channel.streaming("/t/Sum")
    let chunk = [UInt8](repeating: 1, count: 1 << 20)
    for _ in 0..<24 { try await call.send(chunk) }
    await call.closeSend()
    #expect(try await call.all() == [Array("\(24 << 20)".utf8)])
  }

  @Test(arguments: GRPCStatus.Code.allCases.filter { $0 != .ok })
  func `every status comes with its message and trailers`(code: GRPCStatus.Code) async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let options = try GRPCCallOptions.with(["code": "\(code.rawValue)", "y-why": "because"])
    let error = await #expect(throws: GRPCError.self) {
      try await channel.unary("/t/Fail", message: Array("nö\n100%".utf8), options: options)
    }
    #expect(error?.status == GRPCStatus(code, "nö\n100%"))
    #expect(error?.trailers["y-why"] == "because")
    #expect(error?.cause == nil)
  }

  @Test func `a method that is not served is UNIMPLEMENTED`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let error = await #expect(throws: GRPCError.self) {
      try await channel.unary("/t/None", message: [])
    }
    #expect(error?.status.code == .unimplemented)
  }

  @Test(arguments: ["", "t/Echo", "/t/Echo\r\nx: y", "/t/ä"])
  func `a path that would break the request is refused before it is sent`(
    path: String
  ) async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let error = await #expect(throws: GRPCError.self) {
      try await channel.unary(path, message: [])
    }
    #expect(error?.status.code == .invalidArgument)
    #expect(channel.state == .idle)
  }

  @Test func `gzip goes both ways`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    var options = GRPCCallOptions()
    options.compression = .gzip
    for size in [0, 1, 200_000] {
      let message = [UInt8](repeating: 5, count: size)
      let isSame =
        try await channel.unary("/t/Gzip", message: message, options: options).message == message
      #expect(isSame)
    }
  }

  @Test func `an answer above the limit is RESOURCE_EXHAUSTED, inflated or not`() async throws {
    let echo = try await EchoServer()
    var configuration = GRPCChannelConfiguration()
    configuration.maximumMessageBytes = 1000
    let channel = try echo.channel(configuration: configuration)
    for path in ["/t/Echo", "/t/Gzip"] {
      let error = await #expect(throws: GRPCError.self) {
        try await channel.unary(path, message: [UInt8](repeating: 0, count: 1001))
      }
      #expect(error?.status.code == .resourceExhausted)
    }
    #expect(try await channel.unary("/t/Echo", message: [1]).message == [1])
  }

  @Test func `two hundred calls at once share one connection`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<200 {
        group.addTask {
          let message = [UInt8](repeating: 1, count: number)
          return try await channel.unary("/t/Echo", message: message).message.count
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == 199 * 200 / 2)
  }
}
