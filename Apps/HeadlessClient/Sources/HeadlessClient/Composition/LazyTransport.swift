internal import AuthNetworking
internal import Synchronization

/// A transport that is made when the first request needs it: what sends nothing does not pay
/// for curl and its thread.
final class LazyTransport: HTTPTransport {
  private let make: @Sendable () throws(TransportError) -> any HTTPTransport
  private let made = Mutex<(any HTTPTransport)?>(nil)

  init(_ make: @escaping @Sendable () throws(TransportError) -> any HTTPTransport) {
    self.make = make
  }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    try await transport().send(request)
  }

  private func transport() throws(TransportError) -> any HTTPTransport {
    try made.withLock { made throws(TransportError) in
      if let made { return made }
      let transport = try make()
      made = transport
      return transport
    }
  }
}
