internal import HTTP2

/// Decides what the answer to one attempt is: a value without lock or I/O.
///
/// It follows gRPC's PROTOCOL-HTTP2 and http-grpc-status-mapping, and takes anything a server or
/// a proxy may send.
struct ResponseMachine {
  /// Set once, by the first thing that decides it; what comes later changes nothing.
  private(set) var outcome: CallOutcome?
  private(set) var metadata = GRPCMetadata()
  private(set) var hasBegun = false
  /// How the messages are compressed, perhaps in a way that nobody asked for.
  private(set) var encoding = "identity"

  mutating func receive(
    _ headers: [HTTP2Header],
    kind: HTTP2HeadersKind,
    endStream: Bool,
    isWithinMessage: Bool
  ) {
    guard outcome == nil else { return }
    switch kind {
    case .informational, .request: return
    case .response: begin(headers, endStream: endStream)
    case .trailers: end(headers, isWithinMessage: isWithinMessage)
    }
  }

  private mutating func begin(_ headers: [HTTP2Header], endStream: Bool) {
    let http = headers.first(":status").flatMap { Int($0) } ?? 0
    let type = headers.first("content-type") ?? ""
    let isGRPC = type.hasPrefix("application/grpc")
    if endStream, headers.first("grpc-status") != nil, isGRPC || type.isEmpty || http == 200 {
      finish(status(of: headers), trailers: GRPCMetadata(headers))
      return
    }
    guard http == 200 else {
      let what = type.isEmpty ? "" : " and \(type)"
      return finish(.http(http, "The server answered with HTTP status \(http)\(what), not gRPC."))
    }
    guard isGRPC else {
      let what = type.isEmpty ? "no content-type" : type
      return finish(GRPCStatus(.unknown, "The server answered with \(what), not gRPC."))
    }
    hasBegun = true
    metadata = GRPCMetadata(headers)
    encoding = headers.first("grpc-encoding") ?? "identity"
    if endStream { finish(Self.noStatus) }
  }

  private mutating func end(_ headers: [HTTP2Header], isWithinMessage: Bool) {
    var status = status(of: headers)
    if isWithinMessage, status.code == .ok {
      status = GRPCStatus(.internalError, "The answer ends within a message.")
    }
    finish(status, trailers: GRPCMetadata(headers))
  }

  /// The server ended the stream by a DATA frame.
  mutating func ended(isWithinMessage: Bool) {
    finish(
      isWithinMessage
        ? GRPCStatus(.internalError, "The answer ends within a message.") : Self.noStatus
    )
  }

  mutating func closed(_ closure: StreamClosure) {
    switch closure {
    case .finished: finish(Self.noStatus)
    case .reset(let code, _): finish(.reset(code))
    case .unprocessed(let text, let wasSent):
      // What has begun was looked at, whatever the server says.
      guard !hasBegun else { return finish(GRPCStatus(.unavailable, text), cause: .network) }
      finish(
        GRPCStatus(.unavailable, text),
        cause: .network,
        unprocessed: wasSent ? .refused : .notSent
      )
    case .connectionLost(let text): finish(GRPCStatus(.unavailable, text), cause: .network)
    }
  }

  /// Ends it for a reason of this side: cancelled, deadline, a message that cannot be read.
  mutating func abort(_ status: GRPCStatus) { finish(status) }

  private mutating func finish(
    _ status: GRPCStatus,
    trailers: GRPCMetadata = GRPCMetadata(),
    cause: GRPCError.Cause? = nil,
    unprocessed: CallOutcome.Unprocessed? = nil
  ) {
    guard outcome == nil else { return }
    outcome = CallOutcome(
      status: status,
      metadata: metadata,
      trailers: trailers,
      unprocessed: unprocessed,
      cause: cause,
      hadBegun: hasBegun
    )
  }

  private static let noStatus = GRPCStatus(
    .unknown,
    "The server ended the call without a status (no grpc-status)."
  )

  /// The status that a server gives, once or several times over.
  ///
  /// gRPC does not say what a repeated one means. Here the last failure counts, which is how gRPC C++
  /// reads it too, but that it takes an OK that comes after one: an error never becomes OK.
  private func status(of headers: [HTTP2Header]) -> GRPCStatus {
    let texts = headers.all("grpc-status")
    let messages = headers.all("grpc-message")
    let statuses = texts.enumerated().map { index, text in
      // Where each has its own message, they belong together.
      let own = messages.count == texts.count ? messages[index] : messages.last
      return status(text, message: PercentCoding.decode(own ?? ""))
    }
    return statuses.last { $0.code != .ok } ?? statuses.last ?? Self.noStatus
  }

  private func status(_ text: String, message: String) -> GRPCStatus {
    guard let code = Int(text).flatMap(GRPCStatus.Code.init(rawValue:)) else {
      let suffix = message.isEmpty ? "" : ": \(message)"
      return GRPCStatus(.unknown, "The server answered with the unknown status \(text)\(suffix)")
    }
    return GRPCStatus(code, message)
  }
}
