public import AuthNetworking
internal import SessionModelsTesting
internal import Synchronization

/// A network that answers what a test says, and keeps a record of what was sent.
///
/// The gates stand before and after the server: a request held before it was never seen there,
/// one held after it was carried out and has no answer yet.
public final class ScriptedTransport: HTTPTransport {
  /// Answers a request, or throws what the network did to it.
  public typealias Server =
    @Sendable (HTTPRequest) async throws(TransportError) -> HTTPResponse

  private let server: Server
  private let gates: @Sendable (HTTPRequest) -> (before: Gate?, after: Gate?)
  private let sent = Mutex<[HTTPRequest]>([])

  /// A network in front of a server.
  ///
  /// - Parameters:
  ///   - gates: which gates a request has to pass; none unless said otherwise.
  ///   - server: answers.
  public init(
    gates: @escaping @Sendable (HTTPRequest) -> (before: Gate?, after: Gate?) = { _ in (nil, nil) },
    server: @escaping Server
  ) {
    self.gates = gates
    self.server = server
  }

  /// A network that leads to nobody.
  public static var offline: ScriptedTransport {
    ScriptedTransport { _ throws(TransportError) in
      throw TransportError(.network, "The network is unreachable", isUnsent: true)
    }
  }

  /// Every request that was sent, in order, with all of its body in memory.
  public var requests: [HTTPRequest] { sent.withLock { $0 } }

  /// Reads the body, passes the gates, asks the server, and saves the answer where it is to be.
  ///
  /// - Throws: `TransportError`: what the script throws, what the body or the file does, or
  ///   `cancelled`.
  public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    var request = request
    if let content = request.content, content.bytes == nil {
      request.content = .bytes(try await content.collected(), contentType: content.contentType)
    }
    let answer = try await exchange(request)
    let count = Int64(answer.body.count)
    request.onProgress?(
      TransferProgress(
        sentBytes: request.content?.length ?? 0,
        bytesToSend: request.content?.length,
        receivedBytes: count,
        bytesToReceive: count
      )
    )
    guard let destination = request.destination, (200...299).contains(answer.status) else {
      return answer
    }
    return try await ScriptedTransport.save(answer, destination)
  }

  private func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    sent.withLock { $0.append(request) }
    SecretSweep.made(request.bearer)
    let gates = gates(request)
    try await ScriptedTransport.pass(gates.before)
    let answer = try await server(request)
    try await ScriptedTransport.pass(gates.after)
    return answer
  }

  private static func save(
    _ answer: HTTPResponse,
    _ destination: DownloadTarget
  ) async throws(TransportError) -> HTTPResponse {
    let download = DownloadFile(destination)
    try await download.open()
    let written = answer.body.withUnsafeBytes { bytes in
      Result { () throws(TransportError) in try download.write(bytes) }
    }
    if case .failure(let error) = written {
      await download.discard()
      throw error
    }
    var saved = answer
    saved.body = []
    saved.savedBytes = download.size
    try await download.finish()
    return saved
  }

  private static func pass(_ gate: Gate?) async throws(TransportError) {
    await gate?.pass()
    if Task.isCancelled { throw TransportError(.cancelled, "The request was cancelled") }
  }
}
