internal import AuthNetworking

/// A transport that shows a person that it is being waited for.
struct SpinningTransport: HTTPTransport {
  private let base: any HTTPTransport
  private let spinner: Spinner

  init(_ base: any HTTPTransport, _ spinner: Spinner) {
    self.base = base
    self.spinner = spinner
  }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    try await spinner.during("waiting for \(request.url.origin.text)") {
      () async throws(TransportError) in try await base.send(request)
    }
  }
}
