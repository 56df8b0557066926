import ProtobufWire
import Testing

@Suite struct ProtobufMalformedTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let error: ProtobufError
    var testDescription: String { "\(error) in \(bytes.prefix(16))" }
  }

  static let cases = [
    Case(bytes: [0x0A], error: .truncated),
    Case(bytes: [0x0A, 5, 0x61], error: .truncated),
    Case(bytes: [0x80], error: .truncated),
    Case(bytes: [0x30, 0x80, 0x80], error: .truncated),
    Case(bytes: [0x09, 1, 2, 3], error: .truncated),
    Case(bytes: [0x0D, 1], error: .truncated),
    Case(bytes: [0x0A] + [UInt8](repeating: 0xFF, count: 9) + [1], error: .malformedVarint),
    Case(bytes: [0x0A, 0x81, 0x80, 0x80, 0x80, 0x80, 0, 0x61], error: .malformedVarint),
    Case(bytes: [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], error: .truncated),
    Case(bytes: [0xB0, 0x80, 0x80, 0x80, 0x80, 0, 1], error: .malformedTag),
    Case(bytes: [0x30] + [UInt8](repeating: 0xFF, count: 10), error: .malformedVarint),
    Case(bytes: [0x30] + [UInt8](repeating: 0xFF, count: 9) + [0x80, 0], error: .malformedVarint),
    Case(bytes: [0x00, 1], error: .malformedTag),
    Case(bytes: [0x0E], error: .malformedTag),
    Case(bytes: [0x0F], error: .malformedTag),
    Case(bytes: [0x80, 0x80, 0x80, 0x80, 0x10], error: .malformedTag),
    Case(bytes: [0x0A, 1, 0xFF], error: .malformedString),
    Case(bytes: [0x9C, 6], error: .unbalancedGroup),
    Case(bytes: [0x9B, 6], error: .unbalancedGroup),
    Case(bytes: [0x9B, 6, 0xA4, 6], error: .unbalancedGroup),
    Case(bytes: Array([[UInt8]](repeating: [0x9B, 6], count: 101).joined()), error: .tooDeep),
  ]

  @Test(arguments: cases)
  func `malformed bytes are refused`(_ example: Case) {
    #expect(throws: example.error) { try Message(protobuf: example.bytes) }
  }

  @Test func `a submessage's fault is the message's`() {
    #expect(throws: ProtobufError.truncated) { try Event(protobuf: [0x0A, 2, 0x0A, 9]) }
  }

  @Test func `no prefix and no changed byte of a message traps`() {
    let whole = Event(
      .message(
        Message(
          id: "m",
          groupID: "g",
          senderID: "s",
          clientMessageID: "c",
          body: "body",
          sequence: 9,
          sentAtMilliseconds: 1_700_000_000_000
        )
      )
    ).protobuf
    var refused = 0
    for length in 0..<whole.count where (try? Event(protobuf: Array(whole.prefix(length)))) == nil {
      refused += 1
    }
    for index in whole.indices {
      for bit in 0..<8 {
        var changed = whole
        changed[index] ^= 1 << UInt8(bit)
        if let event = try? Event(protobuf: changed) {
          #expect((try? Event(protobuf: event.protobuf)) == event)
        } else {
          refused += 1
        }
      }
    }
    #expect(refused > whole.count)
  }
}
