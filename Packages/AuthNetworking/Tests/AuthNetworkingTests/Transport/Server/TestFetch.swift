import AuthNetworking
import SessionModels

extension TestServer {
  /// Sends a request to the server with a new transport of the kind under test, or the given one.
  func fetch(
    _ method: HTTPMethod = .get,
    _ path: String = "/",
    host: String = "127.0.0.1",
    scheme: String = "http",
    transport: (any HTTPTransport)? = nil,
    trust: TransportUnderTest.Trust = .init(),
    _ change: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> HTTPResponse {
    let url = try HTTPURL(parsing: "\(scheme)://\(host):\(port)\(path)")
    // Long, for a stream of a body needs Swift's threads, which other tests may keep busy.
    var request = HTTPRequest(method: method, url: url, timeout: .seconds(100))
    change(&request)
    let transport = try transport ?? TransportUnderTest.current.make(trust)
    return try await transport.send(request)
  }

  /// The code of the error that a request ends with, or nil where it does not.
  func failure(
    _ method: HTTPMethod = .get,
    scheme: String = "http",
    host: String = "127.0.0.1",
    transport: (any HTTPTransport)? = nil,
    trust: TransportUnderTest.Trust = .init(),
    _ change: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> TransportError.Code? {
    do {
      _ = try await fetch(
        method,
        host: host,
        scheme: scheme,
        transport: transport,
        trust: trust,
        change
      )
      return nil
    } catch let error as TransportError { return error.code }
  }
}
