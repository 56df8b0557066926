import Foundation
import GRPC

extension Misbehaviour {
  /// Connections that end, drown or say nothing.
  static let connections: [Misbehaviour] = [
    .init("a hang-up on accept", .unavailable, requests: 0, script: { _ in }),
    .init("a hang-up after the request", .unavailable, "closed", closes: true, answer: []),
    .init("a reset after the request", .unavailable, "closed", script: { _ = $0.begin() }),
    .init(
      "a hang-up within the headers",
      .unavailable,
      closes: true,
      answer: [Array(ok.prefix(12))]
    ),
    .init(
      "a hang-up in mid-message",
      .unavailable,
      closes: true,
      answer: [ok, RawFrame.data([0, 0])]
    ),
    .init("a hang-up before the trailers", .unavailable, closes: true, answer: [ok, body]),
    .init("a hang-up after the trailers", .ok, closes: true, answer: [ok, body, done]),
    .init(
      "silence after accept",
      .unavailable,
      "says nothing",
      requests: 0,
      script: { $0.drain() }
    ),
    .init("silence after the request", .unavailable, "does not answer", answer: []),
    .init(
      "an answer in HTTP/1.1",
      .unavailable,
      "HTTP/1",
      requests: 0,
      script: { connection in
        _ = connection.read(24)
        connection.send(Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8))
        connection.drain()
      }
    ),
    .init(
      "a greeting of another protocol",
      .unavailable,
      requests: 0,
      script: { connection in
        connection.send(Array("220 mail.example ESMTP\r\n".utf8))
        connection.drain()
      }
    ),
    .init(
      "GOAWAY that leaves the request out, again and again",
      .unavailable,
      "goodbye",
      requests: 2,
      answer: [RawFrame.goAway(last: 0)]
    ),
    .init(
      "GOAWAY that leaves the request out, once",
      .ok,
      requests: 2,
      script: { connection in
        guard connection.begin() != nil else { return }
        if connection.number == 1 {
          connection.send(RawFrame.goAway(last: 0))
        } else {
          for bytes in [ok, body, done] { connection.send(bytes) }
        }
        connection.drain()
      }
    ),
    .init(
      "GOAWAY before any request, again and again",
      .unavailable,
      requests: 0,
      script: { connection in
        _ = connection.read(24)
        connection.send(RawFrame.settings() + RawFrame.settingsAnswer + RawFrame.goAway(last: 0))
        connection.drain()
      }
    ),
    .init(
      "GOAWAY before any request, once",
      .ok,
      script: { connection in
        guard connection.number > 1 else {
          _ = connection.read(24)
          connection.send(RawFrame.settings() + RawFrame.settingsAnswer + RawFrame.goAway(last: 0))
          return connection.drain()
        }
        guard connection.begin() != nil else { return }
        for bytes in [ok, body, done] { connection.send(bytes) }
        connection.drain()
      }
    ),
    .init(
      "GOAWAY in two steps around the answer",
      .ok,
      answer: [RawFrame.goAway(last: 0x7FFF_FFFF), ok, RawFrame.goAway(last: 1), body, done]
    ),
    .init(
      "GOAWAY that includes the request",
      .ok,
      answer: [RawFrame.goAway(last: 1), ok, body, done]
    ),
    .init(
      "GOAWAY in mid-answer, and a hang-up",
      .unavailable,
      closes: true,
      answer: [ok, RawFrame.goAway(last: 1, code: 2), RawFrame.data([0])]
    ),
    .init(
      "GOAWAY that says what it is about",
      .unavailable,
      "too_many_pings",
      requests: 2,
      answer: [RawFrame.goAway(last: 0, code: 11, "too_many_pings")]
    ),
    .init("a flood of PINGs", .unavailable, "flood", answer: flood(RawFrame.ping())),
    .init("a flood of SETTINGS", .unavailable, answer: flood(RawFrame.settings())),
    .init(
      "a flood of RST_STREAM",
      .cancelled,
      "CANCEL",
      answer: [ok] + flood(RawFrame.reset(8, stream: 1))
    ),
    .init("a flood of empty DATA", .unavailable, "flood", answer: [ok] + flood(RawFrame.data([]))),
    .init(
      "a flood of padding",
      .unavailable,
      "flood",
      answer: [ok] + flood(RawFrame.paddedData([], padding: 5))
    ),
    .init(
      "a flood of 103",
      .unavailable,
      "flood",
      answer: flood(RawFrame.headers([":status": "103"]))
    ),
    .init(
      "a flood of PRIORITY",
      .unavailable,
      "flood",
      answer: flood(RawFrame.frame(2, 0, 1, [0, 0, 0, 3, 9]))
    ),
    .init(
      "a flood of unknown frames",
      .ok,
      answer: flood(RawFrame.frame(0x50)) + [ok, body, done]
    ),
    .init("a flood of GOAWAY", .unavailable, "flood", answer: flood(RawFrame.goAway(last: 1))),
    .init(
      "header fields without an end",
      .unavailable,
      "CONTINUATION frames",
      answer: [RawFrame.frame(1, 0, 1, RawFrame.block([":status": "200"]))]
        + flood(RawFrame.frame(9, 0, 1))
    ),
  ]

  /// In few writes, for a client that hangs up is not to stop the test.
  private static func flood(_ frame: [UInt8]) -> [[UInt8]] {
    [[UInt8]](repeating: Array([[UInt8]](repeating: frame, count: 100).joined()), count: 30)
  }
}
