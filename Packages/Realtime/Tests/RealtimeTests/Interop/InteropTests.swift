import Foundation
import GRPC
import Testing

/// Against gRPC C++, by way of grpcio from PyPI.
@Suite(.timeLimit(.minutes(5))) struct InteropTests {
  private func channel(_ server: GRPCIOServer) throws -> GRPCChannel {
    GRPCChannel(to: try GRPCEndpoint("http://127.0.0.1:\(server.port)"))
  }

  @Test(arguments: [[], ["gzip"]])
  func `our client's calls of all four kinds to a grpcio server`(options: [String]) async throws {
    let server = try await GRPCIOServer(options)
    let channel = try channel(server)
    for size in [0, 1, 3_000_000] {
      let message = [UInt8](repeating: 7, count: size)
      let isSame = try await channel.unary("/i/Unary", message: message).message == message
      #expect(isSame)
    }
    let repeated = try await channel.serverStreaming("/i/Repeat", message: [5])
    #expect(try await repeated.all() == (0..<1000).map { [5, UInt8($0 % 256)] })
    let total = try await channel.streaming("/i/Total")
    for _ in 0..<50 { try await total.send([UInt8](repeating: 1, count: 100_000)) }
    await total.closeSend()
    #expect(try await total.all() == [Array("5000000".utf8)])
    let relay = try await channel.streaming("/i/Relay")
    for number in 0..<100 {
      try await relay.send([UInt8(number)])
      #expect(try await relay.next() == [UInt8(number)])
    }
    await relay.closeSend()
    #expect(try await relay.next() == nil)
  }

  @Test func `metadata, gzip and deadlines with a grpcio server`() async throws {
    let server = try await GRPCIOServer()
    let channel = try channel(server)
    var options = try GRPCCallOptions.with(["x-text": "1"])
    try options.metadata.append([1, 2], for: "x-bytes-bin")
    options.compression = .gzip
    let message = [UInt8](repeating: 9, count: 100_000)
    let answer = try await channel.unary("/i/Unary", message: message, options: options)
    #expect(answer.message.count == message.count)
    #expect(answer.metadata["x-text"] == "1")
    #expect(answer.metadata.binaries("x-bytes-bin") == [[1, 2]])
    #expect(answer.trailers.binaries("y-bin") == [[0, 255]])
    let error = await #expect(throws: GRPCError.self) {
      try await channel.unary("/i/Hang", message: [], options: .init(deadline: .milliseconds(200)))
    }
    #expect(error?.status.code == .deadlineExceeded)
  }

  @Test func `every status of a grpcio server`() async throws {
    let server = try await GRPCIOServer()
    let channel = try channel(server)
    for code in GRPCStatus.Code.allCases where code != .ok {
      let error = await #expect(throws: GRPCError.self) {
        try await channel.unary("/i/Fail", message: [UInt8(code.rawValue)])
      }
      #expect(error?.status == GRPCStatus(code, "nö 100%"))
    }
  }

  @Test func `a grpcio client's calls of all four kinds to our server`() async throws {
    let python = try await GRPCIOServer.python()
    let echo = try await EchoServer()
    let output = Pipe()
    let arguments = ["-c", GRPCIOScripts.client, "\(echo.server.port)"]
    let status = try await withCheckedThrowingContinuation { done in
      do {
        _ = try GRPCIO.start(python, arguments, output: output) {
          done.resume(returning: $0.terminationStatus)
        }
      } catch {
        done.resume(throwing: error)
      }
    }
    try #require(status == 0)
    await echo.isCancelled.wait()
  }
}
