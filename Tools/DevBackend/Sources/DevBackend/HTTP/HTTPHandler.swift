internal import CMicrohttpd

/// Takes in a request piece by piece, and sends the service's answer.
final class HTTPHandler: Sendable {
  private let service: HTTPService
  let connections: ConnectionKeeper
  private let maximumBodySize: Int
  /// How long a client may pause within a body.
  private let pauseSeconds: UInt32
  /// How long a connection may be silent otherwise.
  private let idleSeconds: UInt32

  init(service: HTTPService, limits: BackendConfiguration, idleSeconds: UInt32) {
    self.service = service
    self.idleSeconds = idleSeconds
    maximumBodySize = limits.maximumBodySize
    pauseSeconds = UInt32(clamping: limits.requestTimeout.components.seconds)
    connections = ConnectionKeeper(
      ConnectionTable(
        perAddress: limits.connectionsPerAddress > 0 ? limits.connectionsPerAddress : nil,
        headLimit: limits.requestTimeout
      ),
      log: service.log
    )
  }

  /// A connection began, or is about to be closed.
  func note(_ connection: OpaquePointer, hasBegun: Bool) {
    let id = UInt(bitPattern: connection)
    guard hasBegun else { return connections.closed(id) }
    let socket = cmicrohttpd_socket(connection)
    connections.opened(id, from: Self.peer(of: connection), socket: socket)
  }

  /// Called first with the headers, then with each piece of the body, then without one.
  ///
  /// - Returns: `NO` closes the connection.
  func receive(
    _ exchange: HTTPExchange,
    connection: OpaquePointer,
    method: String,
    version: String,
    data: UnsafeRawBufferPointer,
    size: UnsafeMutablePointer<Int>
  ) -> MHD_Result {
    if !exchange.hasBegun {
      exchange.hasBegun = true
      exchange.isCounted = true
      connections.headEnded(UInt(bitPattern: connection))
      cmicrohttpd_set_timeout(connection, pauseSeconds)
      service.lifecycle.begin()
      let headers = Self.headers(of: connection)
      if let fault = RequestFraming.fault(of: headers, version: version) {
        // Before any of the body is read: libmicrohttpd then reads no further request.
        return send(refusal(.ambiguousFraming(fault), exchange, connection, method), connection)
      }
      let announced = Self.byName(headers)["content-length"].flatMap { Int($0) } ?? 0
      // A body a little too large is read to its end, so that the answer is not lost in a reset
      // of the connection; a huge one is refused unread.
      guard announced > discardLimit else { return .YES }
      return send(refusal(tooLarge, exchange, connection, method), connection)
    }
    if !data.isEmpty {
      size.pointee = 0
      exchange.received += data.count
      guard exchange.received <= discardLimit else { return .NO }
      if exchange.received > maximumBodySize {
        (exchange.isTooLarge, exchange.body) = (true, [])
      } else {
        exchange.body.append(contentsOf: data)
      }
      return .YES
    }
    // All of it came: what now takes time is the server's work, and then the client's next request.
    cmicrohttpd_set_timeout(connection, idleSeconds)
    if exchange.isTooLarge {
      return send(refusal(tooLarge, exchange, connection, method), connection)
    }
    let response = service.respond(to: request(exchange, connection, method))
    if response.isLost { return .NO }
    // A feed has no end of its own: it is no work to wait for.
    if response.feed != nil { completed(exchange) }
    return send(response, connection)
  }

  /// Called when a request was answered, or its connection is gone.
  func completed(_ exchange: HTTPExchange) {
    guard exchange.isCounted else { return }
    exchange.isCounted = false
    service.lifecycle.end()
  }

  private var discardLimit: Int { maximumBodySize * 8 }

  private var tooLarge: ServiceFailure { .payloadTooLarge(limit: maximumBodySize) }

  private func refusal(
    _ failure: ServiceFailure,
    _ exchange: HTTPExchange,
    _ connection: OpaquePointer,
    _ method: String
  ) -> ServerResponse {
    service.refusal(failure, of: request(exchange, connection, method))
  }

  private func request(
    _ exchange: HTTPExchange,
    _ connection: OpaquePointer,
    _ method: String
  ) -> ServerRequest {
    var request = ServerRequest(
      method: method,
      target: exchange.target,
      headers: Self.byName(Self.headers(of: connection)),
      body: exchange.body
    )
    request.isLocal = cmicrohttpd_is_local(connection) != 0
    request.peer = Self.peer(of: connection)
    return request
  }

  private static func peer(of connection: OpaquePointer) -> PeerAddress? {
    var address = [UInt8](repeating: 0, count: 16)
    let size = cmicrohttpd_peer(connection, &address)
    return PeerAddress(bytes: Array(address.prefix(Int(size))))
  }

  private func send(_ response: ServerResponse, _ connection: OpaquePointer) -> MHD_Result {
    let made = response.feed.map(FeedReader.response) ?? Self.whole(response.body)
    guard let made else { return .NO }
    defer { MHD_destroy_response(made) }
    for header in response.headers {
      guard MHD_add_response_header(made, header.name, header.value) == .YES else {
        return .NO
      }
    }
    return MHD_queue_response(connection, UInt32(response.status), made)
  }

  private static func whole(_ body: [UInt8]) -> OpaquePointer? {
    body.withUnsafeBytes { body in
      // MUST_COPY: the pointer, which is only const in spirit, is not written to.
      MHD_create_response_from_buffer(
        body.count,
        UnsafeMutableRawPointer(mutating: body.baseAddress),
        .RESPMEM_MUST_COPY
      )
    }
  }

  /// By lower-case name; of repeated ones the first.
  private static func byName(_ headers: [HTTPHeader]) -> [String: String] {
    Dictionary(headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
  }

  /// All of them, as they came.
  private static func headers(of connection: OpaquePointer) -> [HTTPHeader] {
    var headers: [HTTPHeader] = []
    withUnsafeMutablePointer(to: &headers) { headers in
      _ = MHD_get_connection_values(
        connection,
        .HEADER_KIND,
        { context, _, name, value in
          guard let context, let name else { return .YES }
          context.assumingMemoryBound(to: [HTTPHeader].self).pointee.append(
            HTTPHeader(String(cString: name), value.map { String(cString: $0) } ?? "")
          )
          return .YES
        },
        headers
      )
    }
    return headers
  }
}
