import Foundation
import GRPC

extension Misbehaviour {
  /// Frames that are wrong, or come when nobody expects them.
  static let frames: [Misbehaviour] = [
    .init(
      "RST_STREAM(0) in mid-message",
      .internalError,
      "NO_ERROR",
      answer: [ok, RawFrame.data([0, 0, 0, 0, 9, 1]), RawFrame.reset(0)]
    ),
    .init(
      "RST_STREAM(0) after a whole message",
      .internalError,
      "NO_ERROR",
      answer: [ok, body, RawFrame.reset(0)]
    ),
    .init("RST_STREAM(0) after the trailers", .ok, answer: [ok, body, done, RawFrame.reset(0)]),
    .init("RST_STREAM(1) after the trailers", .ok, answer: [ok, body, done, RawFrame.reset(1)]),
    .init("PROTOCOL_ERROR", .internalError, "PROTOCOL_ERROR", answer: [RawFrame.reset(1)]),
    .init("CANCEL", .cancelled, "CANCEL", answer: [RawFrame.reset(8)]),
    .init("ENHANCE_YOUR_CALM", .resourceExhausted, "CALM", answer: [RawFrame.reset(11)]),
    .init("INADEQUATE_SECURITY", .permissionDenied, "SECURITY", answer: [RawFrame.reset(12)]),
    .init("an unknown code", .internalError, "4660", answer: [RawFrame.reset(0x1234)]),
    .init(
      "REFUSED_STREAM, again and again",
      .unavailable,
      "refused",
      requests: 2,
      script: { connection in
        var stream = connection.begin()
        while let refused = stream {
          connection.send(RawFrame.reset(7, stream: refused))
          stream = connection.request()
        }
      }
    ),
    .init("DATA before HEADERS", .unavailable, answer: [body]),
    .init(
      "DATA on the connection",
      .unavailable,
      "PROTOCOL_ERROR",
      answer: [RawFrame.data([1], stream: 0)]
    ),
    .init(
      "DATA on a stream that nobody opened",
      .unavailable,
      answer: [RawFrame.data([1], stream: 9)]
    ),
    .init(
      "a pushed stream",
      .unavailable,
      "breaks HTTP/2",
      answer: [
        RawFrame.frame(5, RawFrame.endHeaders, 1, [0, 0, 0, 2] + RawFrame.block([":path": "/"]))
      ]
    ),
    .init(
      "HEADERS of the server's own",
      .unavailable,
      answer: [RawFrame.headers([":status": "200"], stream: 2)]
    ),
    .init(
      "a field in upper case",
      .internalError,
      answer: [RawFrame.headers([":status": "200", "Content-Type": "application/grpc"])]
    ),
    .init(
      "trailers that do not end the stream",
      .internalError,
      answer: [ok, body, RawFrame.headers(["grpc-status": "0"])]
    ),
    .init(
      "trailers that do not end the stream, and a failure that does",
      .internalError,
      answer: [
        ok, body, RawFrame.headers(["grpc-status": "0"]),
        RawFrame.headers(["grpc-status": "7"], end: true),
      ]
    ),
    .init(
      "trailers after the end",
      .ok,
      answer: [ok, body, done, RawFrame.headers(["grpc-status": "7"], end: true)]
    ),
    .init(
      "content-length that does not fit",
      .internalError,
      answer: [
        RawFrame.headers([
          ":status": "200", "content-type": "application/grpc", "content-length": "3",
        ]), body, done,
      ]
    ),
    .init(
      "a frame above the size allowed",
      .unavailable,
      answer: [ok, RawFrame.data([UInt8](repeating: 0, count: 16_385))]
    ),
    .init("a SETTINGS frame cut short", .unavailable, answer: [RawFrame.frame(4, 0, 0, [0, 1])]),
    .init("an impossible MAX_FRAME_SIZE", .unavailable, answer: [RawFrame.settings([(5, 5)])]),
    .init("a PING of seven bytes", .unavailable, answer: [RawFrame.ping([1, 2, 3, 4, 5, 6, 7])]),
    .init(
      "a window beyond all bounds",
      .unavailable,
      answer: [RawFrame.windowUpdate(0x7FFF_FFFF)]
    ),
    .init(
      "a stream's window beyond all bounds",
      .internalError,
      answer: [RawFrame.windowUpdate(0x7FFF_FFFF, stream: 1)]
    ),
    .init(
      "header fields that are no HPACK",
      .unavailable,
      answer: [RawFrame.frame(1, 4, 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])]
    ),
    .init("CONTINUATION out of the blue", .unavailable, answer: [RawFrame.frame(9, 4, 1, [0])]),
    .init("garbage", .unavailable, answer: [[UInt8](repeating: 0xAA, count: 100)]),
    .init(
      "more header fields than anyone takes",
      .resourceExhausted,
      "metadata",
      answer: largeHeaders
    ),
    .init(
      "frames of unknown types",
      .ok,
      answer: [RawFrame.frame(0x42, 0xFF, 1, [1]), ok, RawFrame.frame(0x43, 0, 0), body, done]
    ),
    .init(
      "no stream allowed at first",
      .ok,
      script: { connection in
        guard connection.read(24) != nil else { return }
        connection.send(RawFrame.settings([(3, 0)]) + RawFrame.settingsAnswer)
        // The client has understood when it acknowledges, and still sends no request.
        while let frame = connection.nextFrame(), frame.type != 4 || frame.flags != 1 {
          if frame.type == 1 { return }
        }
        connection.send(RawFrame.settings([(3, 1)]))
        guard connection.request() != nil else { return }
        for bytes in [ok, body, done] { connection.send(bytes) }
        connection.drain()
      }
    ),
    .init(
      "no window at first",
      .ok,
      settings: [(4, 0)],
      answer: [RawFrame.windowUpdate(100, stream: 1), ok, body, done]
    ),
    .init("no header table", .ok, settings: [(1, 0)], answer: [ok, body, done]),
  ]

  private static var largeHeaders: [[UInt8]] {
    let field = RawFrame.block(["x": String(repeating: "y", count: 10_000)])
    let first = RawFrame.frame(1, 0, 1, RawFrame.block([":status": "200"]))
    let more = (0..<8).map { RawFrame.frame(9, $0 == 7 ? 4 : 0, 1, field) }
    return [first] + more
  }
}
