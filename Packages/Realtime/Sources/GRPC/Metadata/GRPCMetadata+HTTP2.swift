internal import HTTP2

extension GRPCMetadata {
  /// What came with `headers` besides the fields that are HTTP's and gRPC's own.
  init(_ headers: [HTTP2Header]) {
    self.init()
    for header in headers where !Self.isProtocol(header.name) {
      receive(header.name, header.value)
    }
  }

  /// The entries as header fields.
  var headers: [HTTP2Header] {
    entries.map { entry in
      switch entry.value {
      case .text(let text): HTTP2Header(entry.name, text)
      case .binary(let bytes): HTTP2Header(entry.name, Base64.encode(bytes))
      }
    }
  }

  private static func isProtocol(_ name: String) -> Bool {
    switch name {
    case "content-type", "te", "grpc-status", "grpc-message", "grpc-encoding", "grpc-timeout",
      "grpc-accept-encoding":
      true
    default: name.hasPrefix(":")
    }
  }
}

extension [HTTP2Header] {
  /// The first value of a name.
  func first(_ name: String) -> String? { first { $0.name == name }?.value }

  /// All values of a name, in order.
  func all(_ name: String) -> [String] { filter { $0.name == name }.map(\.value) }
}
