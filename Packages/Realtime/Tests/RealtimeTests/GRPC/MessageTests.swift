import Testing

@testable import GRPC

@Suite struct MessageTests {
  @Test(arguments: [1, 2, 3, 5, 7, 1000])
  func `messages are found however the stream is cut`(piece: Int) throws {
    let messages: [[UInt8]] = [[], [1], Array(repeating: 2, count: 300), [], [3, 4]]
    let wire = messages.flatMap { MessageFrame(isCompressed: false, bytes: $0).encoded }
    var deframer = MessageDeframer(limit: 1000)
    var found: [[UInt8]] = []
    for start in stride(from: 0, to: wire.count, by: piece) {
      try wire[start..<min(start + piece, wire.count)].withUnsafeBytes { bytes in
        try deframer.receive(bytes) { frame, _ in found.append(frame.bytes) }
      }
    }
    #expect(found == messages)
    #expect(!deframer.isWithinMessage)
  }

  @Test func `a message above the limit is refused by its announcement`() {
    var deframer = MessageDeframer(limit: 10)
    let error = #expect(throws: GRPCStatus.self) {
      try [UInt8]([0, 0, 0, 0, 11]).withUnsafeBytes { try deframer.receive($0) { _, _ in } }
    }
    #expect(error?.code == .resourceExhausted)
  }

  @Test func `an impossible flag is refused`() {
    var deframer = MessageDeframer(limit: 10)
    let error = #expect(throws: GRPCStatus.self) {
      try [UInt8]([2, 0, 0, 0, 0]).withUnsafeBytes { try deframer.receive($0) { _, _ in } }
    }
    #expect(error?.code == .internalError)
  }

  @Test(arguments: [0, 1, 1000, 100_000])
  func `gzip goes there and back`(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0) }
    let compressed = try Gzip.compress(bytes)
    #expect(try Gzip.decompress(compressed, limit: count) == bytes)
  }

  @Test func `a bomb is stopped at the limit`() throws {
    let bomb = try Gzip.compress([UInt8](repeating: 0, count: 1 << 20))
    #expect(bomb.count < 4000)
    let error = #expect(throws: GRPCStatus.self) { try Gzip.decompress(bomb, limit: (1 << 20) - 1) }
    #expect(error?.code == .resourceExhausted)
  }

  @Test func `a gzip message cut short anywhere is refused`() throws {
    let compressed = try Gzip.compress(Array("some text that is long enough".utf8))
    for length in 1..<compressed.count {
      let error = #expect(throws: GRPCStatus.self) {
        try Gzip.decompress(Array(compressed.prefix(length)), limit: 1000)
      }
      #expect(error?.code == .internalError)
    }
  }

  @Test(arguments: ["a second member", "no gzip", "a zero", "an empty member"])
  func `a gzip message that goes on after its end is refused`(rest: String) throws {
    let more: [UInt8] =
      switch rest {
      case "a second member": try Gzip.compress([4, 5, 6])
      case "an empty member": try Gzip.compress([])
      case "a zero": [0]
      default: Array("junk".utf8)
      }
    // With room and without it: inflating takes one step, or several.
    for count in [3, 100_000] {
      let message = [UInt8](repeating: 7, count: count)
      let frame = MessageFrame(isCompressed: true, bytes: try Gzip.compress(message) + more)
      let error = #expect(throws: GRPCStatus.self) {
        try GRPCCompression.gzip.message(frame, limit: 1 << 20)
      }
      #expect(error?.code == .internalError)
    }
  }

  @Test func `an empty compressed message is an empty message`() throws {
    #expect(try Gzip.decompress([], limit: 10).isEmpty)
  }

  @Test func `a compressed message without a named encoding is refused`() {
    let frame = MessageFrame(isCompressed: true, bytes: [])
    let error = #expect(throws: GRPCStatus.self) {
      try GRPCCompression.identity.message(frame, limit: 10)
    }
    #expect(error?.code == .internalError)
  }
}
