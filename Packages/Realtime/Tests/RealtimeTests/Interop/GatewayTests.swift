import GRPC
import Testing

/// Through nginx with TLS, to a grpcio server behind it.
@Suite(.timeLimit(.minutes(5))) struct GatewayTests {
  private func channel(_ nginx: Nginx, _ certificates: TestCertificates) throws -> GRPCChannel {
    GRPCChannel(
      to: try GRPCEndpoint("https://localhost:\(nginx.port)", caFile: certificates.caFile)
    )
  }

  @Test func `calls of all four kinds, metadata and statuses pass`() async throws {
    let server = try await GRPCIOServer()
    let certificates = try await TestCertificates.shared()
    let nginx = try await Nginx(upstream: server.port, certificates)
    let channel = try channel(nginx, certificates)
    var options = try GRPCCallOptions.with(["x-text": "1"])
    options.compression = .gzip
    let message = [UInt8](repeating: 9, count: 1_000_000)
    let answer = try await channel.unary("/i/Unary", message: message, options: options)
    #expect(answer.message.count == message.count)
    #expect(answer.metadata["x-text"] == "1")
    #expect(answer.trailers.binaries("y-bin") == [[0, 255]])
    let repeated = try await channel.serverStreaming("/i/Repeat", message: [5])
    #expect(try await repeated.all().count == 1000)
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
    let error = await #expect(throws: GRPCError.self) {
      try await channel.unary("/i/Fail", message: [9])
    }
    #expect(error?.status == GRPCStatus(.failedPrecondition, "nö 100%"))
  }

  @Test func `a gateway that ends its connections every few requests costs no call`()
    async throws
  {
    let server = try await GRPCIOServer()
    let certificates = try await TestCertificates.shared()
    let nginx = try await Nginx(upstream: server.port, certificates, requestsPerConnection: 5)
    let channel = try channel(nginx, certificates)
    for number in 0..<60 {
      let answer = try await channel.unary("/i/Unary", message: [UInt8(number)])
      #expect(answer.message == [UInt8(number)])
    }
    // Streams that are open when the goodbye comes go on to their end.
    let relay = try await channel.streaming("/i/Relay")
    for number in 0..<20 {
      _ = try await channel.unary("/i/Unary", message: [])
      try await relay.send([UInt8(number)])
      #expect(try await relay.next() == [UInt8(number)])
    }
    await relay.closeSend()
    #expect(try await relay.next() == nil)
  }

  @Test(arguments: [
    ("/gone/Method", GRPCStatus.Code.unavailable, "502"),
    ("/forbidden/Method", .permissionDenied, "403"),
  ])
  func `what the gateway answers itself is a status`(
    path: String,
    code: GRPCStatus.Code,
    says: String
  ) async throws {
    let server = try await GRPCIOServer()
    let certificates = try await TestCertificates.shared()
    let nginx = try await Nginx(upstream: server.port, certificates)
    let channel = try channel(nginx, certificates)
    let error = await #expect(throws: GRPCError.self) {
      try await channel.unary(path, message: [])
    }
    #expect(error?.status.code == code)
    #expect(error?.status.message.contains(says) == true, "\(error?.status.message ?? "")")
  }

  @Test func `cancelling is seen behind the gateway`() async throws {
    let server = try await GRPCIOServer()
    let certificates = try await TestCertificates.shared()
    let nginx = try await Nginx(upstream: server.port, certificates)
    let channel = try channel(nginx, certificates)
    let call = try await channel.serverStreaming("/i/Endless", message: [])
    _ = try await call.next()
    call.cancel()
    #expect(try await channel.unary("/i/AwaitCancelled", message: []).message == [1])
  }
}
