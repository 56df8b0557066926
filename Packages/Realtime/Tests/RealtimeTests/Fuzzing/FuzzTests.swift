import HTTP2
import ProtobufWire
import Testing

@testable import GRPC

/// Bytes with faults, by a seeded mutator: nothing traps, and what must always hold holds.
///
/// A failure names its seed; `REALTIME_FUZZ_SEED` tries another one, or the same again.
@Suite(.timeLimit(.minutes(5))) struct FuzzTests {
  private let seed = SeededGenerator.seed

  /// Conversations of a server with a client that has one request open.
  private static let conversations: [[[UInt8]]] = [
    [
      RawFrame.settings(), RawFrame.settingsAnswer, Misbehaviour.ok, Misbehaviour.body,
      Misbehaviour.done,
    ],
    [
      RawFrame.settings([(3, 100), (4, 1 << 20), (1, 0)]), RawFrame.windowUpdate(1000),
      RawFrame.ping(), Misbehaviour.gzip,
      RawFrame.paddedData(RawFrame.message([1, 2, 3]), padding: 7),
      RawFrame.reset(0),
    ],
    [
      RawFrame.settings(), RawFrame.headers([":status": "103", "link": "x"]),
      RawFrame.frame(1, 0, 1, RawFrame.block([":status": "200"])),
      RawFrame.frame(9, 4, 1, RawFrame.block(["content-type": "application/grpc"])),
      RawFrame.goAway(last: 1, code: 0, "bye"), RawFrame.data([0, 0, 0, 0, 2, 1]),
      RawFrame.data([2], end: true),
    ],
  ]

  @Test func `no faulty frame traps a client, and a session that ends says so`() throws {
    var chance = SeededGenerator()
    var refused = 0
    for round in 0..<6000 {
      let pair = try SessionPair()
      let stream = try pair.client.submitRequest([
        HTTP2Header(":method", "POST"), HTTP2Header(":scheme", "http"), HTTP2Header(":path", "/"),
        HTTP2Header(":authority", "h"),
      ])
      pair.client.end(stream: stream)
      _ = try pair.clientOutput()
      let frames = Self.conversations[round % Self.conversations.count]
      let bytes = chance.mutated(Array(frames.joined()))
      var position = 0
      do {
        while position < bytes.count {
          let end = min(bytes.count, position + Int.random(in: 1...64, using: &chance))
          try pair.feedClient(Array(bytes[position..<end]))
          _ = try pair.clientOutput()
          position = end
        }
        if pair.client.isFinished { refused += 1 }
      } catch let error as HTTP2Error {
        refused += 1
        #expect(!error.message.isEmpty, "seed \(seed), round \(round)")
      }
    }
    #expect(refused > 500)
  }

  @Test func `framing gives the same messages however faulty bytes are cut`() {
    var chance = SeededGenerator()
    for round in 0..<3000 {
      let messages = (0..<4).map { _ in
        RawFrame.message(chance.bytes(Int.random(in: 0...40, using: &chance)))
      }
      let bytes = chance.mutated(Array(messages.joined()))
      let whole = Self.deframed(bytes, pieces: [bytes.count])
      let cut = Self.deframed(
        bytes,
        pieces: (0..<64).map { _ in Int.random(in: 1...9, using: &chance) }
      )
      #expect(whole.messages == cut.messages, "seed \(seed), round \(round)")
      #expect(whole.failed == cut.failed, "seed \(seed), round \(round)")
    }
  }

  @Test func `credit is never more than what came, and all of it in the end`() {
    var chance = SeededGenerator()
    for round in 0..<1000 {
      var inbound = InboundMessages(limit: 1000, window: 256)
      var (received, credited) = (0, 0)
      var failed = false
      for _ in 0..<20 {
        let bytes = RawFrame.message(chance.bytes(Int.random(in: 0...120, using: &chance)))
        let part = Array(bytes.prefix(Int.random(in: 1...bytes.count, using: &chance)))
        received += part.count
        do {
          if failed {
            inbound.skip(part.count)
          } else {
            try part.withUnsafeBytes { try inbound.receive($0) }
          }
        } catch {
          failed = true
        }
        if Bool.random(using: &chance) { _ = inbound.take() }
        credited += inbound.takeCredit()
        #expect(credited <= received, "seed \(seed), round \(round)")
      }
      credited += inbound.drop()
      #expect(credited == received, "seed \(seed), round \(round)")
    }
  }

  @Test func `faulty gzip is refused, or stays within the limit`() throws {
    var chance = SeededGenerator()
    let limit = 5000
    for round in 0..<2000 {
      let text = Array(repeating: Array("abc\(round)".utf8), count: 200).joined()
      let bytes = chance.mutated(try Gzip.compress(Array(text)))
      if let inflated = try? Gzip.decompress(bytes, limit: limit) {
        #expect(inflated.count <= limit, "seed \(seed), round \(round)")
      }
    }
  }

  @Test func `no header value traps, and what is made of it can be sent`() {
    var chance = SeededGenerator()
    let corpus = [
      "100%", "%C3%B6", "Zm9v", "AAE=,AAI", "99999999S", "0", "16", "application/grpc+x",
    ]
    for round in 0..<5000 {
      let original = Array(corpus[round % corpus.count].utf8)
      let text = String(decoding: chance.mutated(original), as: UTF8.self)
      let decoded = PercentCoding.decode(text)
      #expect(PercentCoding.decode(PercentCoding.encode(decoded)) == decoded, "seed \(seed)")
      if let bytes = Base64.decode(text) { #expect(Base64.decode(Base64.encode(bytes)) == bytes) }
      if let time = GRPCTimeout.decode(text) { #expect(time >= .zero) }
      var response = ResponseMachine()
      response.receive(
        [
          HTTP2Header(":status", "200"), HTTP2Header("content-type", "application/grpc"),
          HTTP2Header("x-bin", text),
        ],
        kind: .response,
        endStream: false,
        isWithinMessage: false
      )
      response.receive(
        [HTTP2Header("grpc-status", text), HTTP2Header("grpc-message", text)],
        kind: .trailers,
        endStream: true,
        isWithinMessage: false
      )
      #expect(response.outcome != nil, "seed \(seed), round \(round)")
    }
  }

  @Test func `what a protobuf message was read as is what it is written as`() throws {
    var soup = ProtobufSoup(chance: SeededGenerator())
    var read = 0
    for round in 0..<20_000 {
      let bytes = soup.perhapsBroken()
      guard let event = try? Event(protobuf: bytes) else { continue }
      read += 1
      let again = try Event(protobuf: event.protobuf)
      #expect(again == event, "seed \(seed), round \(round)")
      #expect(again.protobuf == event.protobuf, "seed \(seed), round \(round)")
    }
    #expect(read > 2000)
  }

  private static func deframed(
    _ bytes: [UInt8],
    pieces: [Int]
  ) -> (messages: [[UInt8]], failed: Bool) {
    var deframer = MessageDeframer(limit: 100)
    var messages: [[UInt8]] = []
    var position = 0
    var turn = 0
    do {
      while position < bytes.count {
        let end = min(bytes.count, position + max(1, pieces[turn % pieces.count]))
        turn += 1
        try Array(bytes[position..<end]).withUnsafeBytes { part in
          try deframer.receive(part) { frame, _ in messages.append(frame.bytes) }
        }
        position = end
      }
      return (messages, false)
    } catch {
      return (messages, true)
    }
  }
}
