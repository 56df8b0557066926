import GRPC

/// A server with a method for each thing that the tests ask of a client.
final class EchoServer: Sendable {
  let server: GRPCServer
  let isCancelled = Gate()
  let hasBegun = Gate()

  init(
    port: Int = 0,
    configuration: GRPCServerConfiguration = .init(),
    handlers: [String: GRPCHandler] = [:]
  ) async throws {
    let (isCancelled, hasBegun) = (isCancelled, hasBegun)
    var all = handlers
    all["/t/Echo"] = .unary { message, call in
      call.setMetadata(call.metadata.only("x-"))
      call.setTrailers(call.metadata.only("y-"))
      return message
    }
    all["/t/Gzip"] = .unary { message, call in
      call.setCompression(.gzip)
      return message
    }
    all["/t/Repeat"] = .serverStreaming { message, call in
      for _ in 0..<(Int(call.metadata["count"] ?? "") ?? 0) { try await call.send(message) }
    }
    all["/t/Relay"] = .streaming { call in
      while let message = try await call.next() { try await call.send(message) }
    }
    all["/t/Sum"] = .streaming { call in
      var sum = 0
      while let message = try await call.next() { sum += message.count }
      try await call.send(Array(String(sum).utf8))
    }
    all["/t/Fail"] = .unary { message, call in
      call.setTrailers(call.metadata.only("y-"))
      let code = GRPCStatus.Code(rawValue: Int(call.metadata["code"] ?? "") ?? 2) ?? .unknown
      throw GRPCStatus(code, String(decoding: message, as: UTF8.self))
    }
    all["/t/Hang"] = .streaming { call in
      hasBegun.open()
      await Gate.untilCancelled()
      isCancelled.open()
    }
    server = try await GRPCServer(port: port, configuration: configuration, handlers: all)
  }

  deinit { server.stop() }

  func channel(
    tokens: (any TokenProvider)? = nil,
    configuration: GRPCChannelConfiguration = .init()
  ) throws -> GRPCChannel {
    GRPCChannel(
      to: try GRPCEndpoint("http://127.0.0.1:\(server.port)"),
      configuration: configuration,
      tokens: tokens
    )
  }
}

extension GRPCMetadata {
  /// The entries whose names begin so.
  func only(_ prefix: String) -> GRPCMetadata {
    var result = GRPCMetadata()
    for entry in entries where entry.name.hasPrefix(prefix) { result.append(entry) }
    return result
  }
}

extension GRPCCallOptions {
  /// Options with these text entries.
  static func with(_ entries: [String: String]) throws -> GRPCCallOptions {
    var options = GRPCCallOptions()
    for (name, value) in entries { try options.metadata.append(value, for: name) }
    return options
  }
}

extension GRPCCall {
  /// All messages until the call ends with OK.
  func all() async throws -> [[UInt8]] {
    var messages: [[UInt8]] = []
    while let message = try await next() { messages.append(message) }
    return messages
  }
}
