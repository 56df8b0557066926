internal import AuthNetworking
internal import SessionModels
internal import Synchronization

/// A transport that counts the refreshes going through it.
final class RefreshCount: HTTPTransport {
  private let transport: any HTTPTransport
  private let path: String
  private let count = Atomic<Int>(0)

  /// - Parameters:
  ///   - transport: what carries the requests.
  ///   - api: knows where the dialect refreshes.
  init(_ transport: any HTTPTransport, _ api: any AuthAPI) {
    self.transport = transport
    path = api.refresh(Secret(""), device: DeviceID(rawValue: "")).path
  }

  /// How many refreshes were granted.
  var value: Int { count.load(ordering: .relaxed) }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let answer = try await transport.send(request)
    if request.method == .post, request.url.target.hasSuffix(path), answer.status < 300 {
      count.add(1, ordering: .relaxed)
    }
    return answer
  }
}
