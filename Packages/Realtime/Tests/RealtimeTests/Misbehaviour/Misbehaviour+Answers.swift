import GRPC

extension Misbehaviour {
  static let ok = RawFrame.headers([":status": "200", "content-type": "application/grpc"])
  static let body = RawFrame.data(RawFrame.message([1, 2, 3]))
  static let done = RawFrame.headers(["grpc-status": "0"], end: true)
  static let gzip = RawFrame.headers([
    ":status": "200", "content-type": "application/grpc", "grpc-encoding": "gzip",
  ])

  /// Answers whose frames are right, and whose content is not.
  static let answers: [Misbehaviour] = [
    .init("an ordinary answer", .ok, answer: [ok, body, done]),
    .init(
      "grpc-message that ends in %",
      .notFound,
      "100%",
      answer: [ok, RawFrame.headers(["grpc-status": "5", "grpc-message": "100%"], end: true)]
    ),
    .init(
      "grpc-message of bytes that are no UTF-8",
      .notFound,
      "a\u{FFFD}b%4",
      answer: [ok, RawFrame.headers(["grpc-status": "5", "grpc-message": "a%FFb%4"], end: true)]
    ),
    .init(
      "gzip cut short",
      .internalError,
      "cut short",
      answer: [gzip, RawFrame.data(RawFrame.message([0x1F, 0x8B, 8, 0, 0, 0], flag: 1)), done]
    ),
    .init(
      "garbage for gzip",
      .internalError,
      "damaged",
      answer: [gzip, RawFrame.data(RawFrame.message([9, 9, 9, 9], flag: 1)), done]
    ),
    .init(
      "an empty compressed message",
      .ok,
      message: [],
      answer: [gzip, RawFrame.data(RawFrame.message([], flag: 1)), done]
    ),
    .init(
      "a compressed message without an encoding",
      .internalError,
      "no encoding",
      answer: [ok, RawFrame.data(RawFrame.message([1], flag: 1)), done]
    ),
    .init(
      "an encoding that nobody asked for",
      .internalError,
      "br",
      answer: [
        RawFrame.headers([
          ":status": "200", "content-type": "application/grpc", "grpc-encoding": "br",
        ]), RawFrame.data(RawFrame.message([1], flag: 1)), done,
      ]
    ),
    .init(
      "an impossible flag",
      .internalError,
      "flag 2",
      answer: [ok, RawFrame.data(RawFrame.message([1], flag: 2)), done]
    ),
    .init(
      "the announcement of 4 GiB",
      .resourceExhausted,
      "limit",
      answer: [ok, RawFrame.data(RawFrame.message([1], length: .max))]
    ),
    .init(
      "no grpc-status after a message",
      .unknown,
      "grpc-status",
      answer: [ok, RawFrame.data(RawFrame.message([1]), end: true)]
    ),
    .init(
      "trailers without grpc-status",
      .unknown,
      "grpc-status",
      answer: [ok, body, RawFrame.headers(["x": "y"], end: true)]
    ),
    .init(
      "headers alone",
      .unknown,
      "grpc-status",
      answer: [
        RawFrame.headers([":status": "200", "content-type": "application/grpc"], end: true)
      ]
    ),
    .init("two messages", .internalError, "more than one", answer: [ok, body, body, done]),
    .init("no message", .internalError, "no message", answer: [ok, done]),
    .init(
      "OK within a message",
      .internalError,
      "within a message",
      answer: [ok, RawFrame.data([0, 0, 0, 0, 9, 1]), done]
    ),
    .init(
      "a status that is no number",
      .unknown,
      "fine",
      answer: [ok, RawFrame.headers(["grpc-status": "fine"], end: true)]
    ),
    .init(
      "a status that there is not",
      .unknown,
      "99",
      answer: [ok, RawFrame.headers(["grpc-status": "99"], end: true)]
    ),
    .init(
      "one status of 0, and one of 7",
      .permissionDenied,
      "no",
      answer: [
        ok, body,
        RawFrame.headers(
          ["grpc-status": "0", "grpc-status": "7", "grpc-message": "no"],
          end: true
        ),
      ]
    ),
    .init(
      "trailers alone, without content-type",
      .failedPrecondition,
      "no",
      answer: [
        RawFrame.headers([":status": "200", "grpc-status": "9", "grpc-message": "no"], end: true)
      ]
    ),
    .init(
      "103 before 200",
      .ok,
      answer: [RawFrame.headers([":status": "103", "link": "</a>"]), ok, body, done]
    ),
    .init(
      "padded DATA",
      .ok,
      answer: [
        ok, RawFrame.paddedData(Array(RawFrame.message([1, 2, 3])[..<4]), padding: 255),
        RawFrame.paddedData(Array(RawFrame.message([1, 2, 3])[4...]), padding: 0), done,
      ]
    ),
    .init(
      "one byte a frame",
      .ok,
      answer: [ok] + RawFrame.message([1, 2, 3]).map { RawFrame.data([$0]) } + [done]
    ),
    .init("one byte a write", .ok, answer: (ok + body + done).map { [$0] }),
    .init(
      "a page with 200",
      .unknown,
      "text/html",
      answer: [
        RawFrame.headers([":status": "200", "content-type": "text/html"]),
        RawFrame.data(Array("<html>".utf8), end: true),
      ]
    ),
    .init(
      "no content-type",
      .unknown,
      "content-type",
      answer: [RawFrame.headers([":status": "200"]), RawFrame.data([1], end: true)]
    ),
    proxy(302, .unknown), proxy(400, .internalError), proxy(401, .unauthenticated),
    proxy(403, .permissionDenied), proxy(404, .unimplemented), proxy(429, .unavailable),
    proxy(500, .unknown), proxy(502, .unavailable), proxy(503, .unavailable),
    proxy(504, .unavailable),
  ]

  /// A proxy's page with a status of HTTP.
  private static func proxy(_ status: Int, _ code: GRPCStatus.Code) -> Misbehaviour {
    .init(
      "a proxy's \(status)",
      code,
      "\(status)",
      answer: [
        RawFrame.headers([":status": "\(status)", "content-type": "text/html"]),
        RawFrame.data(Array("<html>".utf8), end: true),
      ]
    )
  }
}
