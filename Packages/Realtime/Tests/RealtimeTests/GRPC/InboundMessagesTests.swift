import Testing

@testable import GRPC

@Suite struct InboundMessagesTests {
  private func receive(_ inbound: inout InboundMessages, _ bytes: some Collection<UInt8>) throws {
    try Array(bytes).withUnsafeBytes { try inbound.receive($0) }
  }

  private func frame(_ count: Int) -> [UInt8] {
    MessageFrame(isCompressed: false, bytes: [UInt8](repeating: 1, count: count)).encoded
  }

  @Test func `nothing is given back for messages that nobody took`() throws {
    var inbound = InboundMessages(limit: 1000, window: 800)
    try receive(&inbound, frame(300))
    #expect(inbound.takeCredit() == 0)
  }

  @Test func `what was taken is given back, in eighths of the window`() throws {
    var inbound = InboundMessages(limit: 1000, window: 800)
    try receive(&inbound, frame(45) + frame(45) + frame(45))
    _ = inbound.take()
    #expect(inbound.takeCredit() == 0)
    _ = inbound.take()
    #expect(inbound.takeCredit() == 100)
    #expect(inbound.takeCredit() == 0)
  }

  @Test func `a message larger than the window gets the credit to arrive`() throws {
    var inbound = InboundMessages(limit: 10_000, window: 800)
    let message = frame(5000)
    var granted = 800
    var position = 0
    while position < message.count {
      try #require(granted > 0)
      let piece = message[position..<min(position + granted, message.count)]
      try receive(&inbound, piece)
      position += piece.count
      granted -= piece.count
      granted += inbound.takeCredit()
    }
    #expect(inbound.take()?.bytes.count == 5000)
  }

  @Test func `a large message behind one that nobody takes gets no credit`() throws {
    var inbound = InboundMessages(limit: 10_000, window: 800)
    try receive(&inbound, frame(10) + frame(5000).prefix(700))
    #expect(inbound.takeCredit() == 0)
    _ = inbound.take()
    #expect(inbound.takeCredit() == 715)
  }

  @Test func `dropping gives all of the debt back, once`() throws {
    var inbound = InboundMessages(limit: 1000, window: 800)
    try receive(&inbound, frame(95) + frame(95))
    #expect(inbound.drop() == 200)
    #expect(inbound.drop() == 0)
    #expect(inbound.isEmpty)
  }

  @Test func `what was handed out is given back as it is taken, not before`() throws {
    var inbound = InboundMessages(limit: 1000, window: 800)
    try receive(&inbound, frame(45) + frame(45) + frame(45))
    let handedOut = inbound.takeBatch(encoding: "identity")
    var batch = try #require(handedOut)
    #expect(inbound.isEmpty)
    #expect(inbound.takeCredit() == 0)
    #expect(batch.takePlain()?.count == 45)
    #expect(batch.takeReport() == nil)
    #expect(batch.takePlain()?.count == 45)
    // A step is due: it is reported before anything more is taken.
    #expect(batch.takePlain() == nil)
    let taken = batch.takeReport()
    inbound.took(upTo: try #require(taken))
    #expect(inbound.takeCredit() == 100)
    #expect(batch.takePlain()?.count == 45)
    #expect(batch.takeReport() == 150)
    #expect(batch.takeReport() == nil)
  }

  @Test func `a large message behind one that was handed out and not taken gets no credit`() throws
  {
    var inbound = InboundMessages(limit: 10_000, window: 800)
    try receive(&inbound, frame(10) + frame(5000).prefix(700))
    let handedOut = inbound.takeBatch(encoding: "identity")
    var batch = try #require(handedOut)
    #expect(inbound.takeCredit() == 0)
    _ = batch.take()
    let taken = batch.takeReport()
    inbound.took(upTo: try #require(taken))
    #expect(inbound.takeCredit() == 715)
  }

  @Test func `a compressed message is not taken as it lies on the wire`() throws {
    var inbound = InboundMessages(limit: 1000, window: 800)
    try receive(&inbound, MessageFrame(isCompressed: true, bytes: [1]).encoded)
    let handedOut = inbound.takeBatch(encoding: "gzip")
    var batch = try #require(handedOut)
    #expect(batch.takePlain() == nil)
    #expect(batch.take() == MessageFrame(isCompressed: true, bytes: [1]))
    #expect(batch.encoding == "gzip")
    #expect(inbound.takeBatch(encoding: "gzip") == nil)
  }
}
