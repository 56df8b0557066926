import ProtobufWire
import Testing

@Suite struct ProtobufMessageTests {
  /// Made by protoc's Python for the same values.
  @Test func `a message is encoded as protoc encodes it`() throws {
    let message = Message(
      id: "m1",
      groupID: "g",
      senderID: "u",
      clientMessageID: "",
      body: "hé",
      sequence: 300,
      sentAtMilliseconds: -1
    )
    let expected: [UInt8] =
      [0x0A, 2, 0x6D, 0x31, 0x12, 1, 0x67, 0x1A, 1, 0x75, 0x2A, 3, 0x68, 0xC3, 0xA9, 0x30, 0xAC, 2]
      + [0x38] + [UInt8](repeating: 0xFF, count: 9) + [1]
    #expect(message.protobuf == expected)
    #expect(try Message(protobuf: expected) == message)
  }

  @Test(arguments: [0, 1, 127, 128, 1 << 32, UInt64.max])
  func `every sequence survives the way there and back`(sequence: UInt64) throws {
    let request = SubscribeRequest(groupID: "g", afterSequence: sequence)
    #expect(try SubscribeRequest(protobuf: request.protobuf).afterSequence == sequence)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, Int64.max])
  func `every time survives the way there and back`(time: Int64) throws {
    var message = Message()
    message.sentAtMilliseconds = time
    #expect(try Message(protobuf: message.protobuf).sentAtMilliseconds == time)
  }

  @Test func `bits above the 64th are dropped`() throws {
    let bytes: [UInt8] = [0x30] + [UInt8](repeating: 0xFF, count: 9) + [0x7F]
    #expect(try Message(protobuf: bytes).sequence == .max)
  }

  @Test func `defaults are left out`() {
    #expect(Message().protobuf.isEmpty)
    #expect(SubscribeRequest(groupID: "", afterSequence: 0).protobuf.isEmpty)
  }

  @Test func `an empty member of a oneof is written, since its presence says something`() throws {
    let event = Event(.sessionRevoked(SessionRevoked()))
    #expect(event.protobuf == [0x1A, 0])
    #expect(try Event(protobuf: [0x1A, 0]) == event)
  }

  @Test func `the last member of a oneof wins`() throws {
    let bytes = Event(.typing(Typing(groupID: "g", userID: "u"))).protobuf
    let last = Event(.sessionRevoked(SessionRevoked(reason: "r")))
    #expect(try Event(protobuf: bytes + last.protobuf) == last)
  }

  @Test func `a member that comes twice is merged`() throws {
    let first = Event(.typing(Typing(groupID: "g", userID: "old"))).protobuf
    let second = Event(.typing(Typing(groupID: "", userID: "new"))).protobuf
    let merged = try Event(protobuf: first + second)
    #expect(merged == Event(.typing(Typing(groupID: "g", userID: "new"))))
  }

  @Test func `unknown fields of every wire type are kept`() throws {
    let unknown: [UInt8] =
      [0x98, 6, 5]  // field 99, varint
      + [0x99, 6, 1, 2, 3, 4, 5, 6, 7, 8]  // 64 bits
      + [0x9A, 6, 2, 9, 9]  // bytes
      + [0x9B, 6, 0x08, 1, 0x9C, 6]  // a group with a field in it
      + [0x9D, 6, 1, 2, 3, 4]  // 32 bits
    let message = try Typing(protobuf: [0x0A, 1, 0x67] + unknown)
    #expect(message.groupID == "g")
    #expect(message.unknownFields.bytes == unknown)
    #expect(message.protobuf == [0x0A, 1, 0x67] + unknown)
  }

  @Test func `a known number with another wire type is an unknown field`() throws {
    let message = try Typing(protobuf: [0x08, 7])
    #expect(message.groupID.isEmpty)
    #expect(message.unknownFields.bytes == [0x08, 7])
  }

  @Test func `every frame of the client survives the way there and back`() throws {
    let frames = [
      ClientFrame(.subscribe(SubscribeRequest(groupID: "g", afterSequence: 3))),
      ClientFrame(.send(SendRequest(groupID: "g", clientMessageID: "c", body: "b"))),
      ClientFrame(.typing(Typing(groupID: "g", userID: "u"))), ClientFrame(),
    ]
    for frame in frames { #expect(try ClientFrame(protobuf: frame.protobuf) == frame) }
  }
}
