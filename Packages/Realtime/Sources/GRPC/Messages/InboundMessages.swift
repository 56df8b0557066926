/// The messages of a stream that have come and were not taken yet, and the peer's debt for them.
///
/// A value without lock or I/O. Frames stay compressed until they are taken, so what is kept is
/// bounded by the window that the peer was given.
struct InboundMessages {
  /// A message, and how many bytes of the stream have come with it.
  struct Message {
    var frame: MessageFrame
    let end: Int
  }

  private var deframer: MessageDeframer
  private var messages: [Message] = []
  private var head = 0
  private var received = 0
  private var handedOut = 0
  private var taken = 0
  private var credited = 0
  private let creditStep: Int

  /// - Parameters:
  ///   - limit: the largest message, in bytes on the wire.
  ///   - window: the stream's window; credit is given in eighths of it.
  init(limit: Int, window: Int) {
    deframer = MessageDeframer(limit: limit)
    creditStep = max(1, window / 8)
  }

  /// Whether there is nothing to take or to hand out.
  var isEmpty: Bool { head == messages.count }

  var isWithinMessage: Bool { deframer.isWithinMessage }

  mutating func receive(_ data: UnsafeRawBufferPointer) throws(GRPCStatus) {
    let start = received
    received += data.count
    // Taken out while it is changed, or it would be copied.
    var messages = self.messages
    self.messages = []
    defer { self.messages = messages }
    try deframer.receive(data) { frame, position in
      messages.append(Message(frame: frame, end: start + position))
    }
  }

  /// Counts bytes that nobody will look at.
  mutating func skip(_ count: Int) { received += count }

  mutating func take() -> MessageFrame? {
    guard head < messages.count else { return nil }
    let message = messages[head]
    (handedOut, taken) = (message.end, message.end)
    head += 1
    if head == messages.count || head >= 256 {
      messages.removeFirst(head)
      head = 0
    }
    return message.frame
  }

  /// Hands out all messages; they are taken when ``took(upTo:)`` says so.
  mutating func takeBatch(encoding: String) -> InboundBatch? {
    guard let last = messages.last else { return nil }
    if head > 0 { messages.removeFirst(head) }
    defer {
      messages = []
      head = 0
      handedOut = last.end
    }
    return InboundBatch(messages, encoding: encoding, step: creditStep, taken: taken)
  }

  /// Counts what was taken of the batches that were handed out.
  mutating func took(upTo position: Int) { taken = max(taken, position) }

  /// The bytes to give back to the peer now: those of messages that were taken and, when nobody has
  /// anything left to take, those of the message that is still coming in.
  ///
  /// Otherwise a message larger than the window would never arrive.
  mutating func takeCredit() -> Int {
    let isIdle = isEmpty && taken == handedOut
    let target = isIdle ? received : taken
    let amount = target - credited
    guard amount >= creditStep || (isIdle && isWithinMessage) else { return 0 }
    credited = target
    return amount
  }

  /// Drops everything and gives back all of the debt.
  mutating func drop() -> Int {
    messages = []
    head = 0
    (handedOut, taken) = (received, received)
    defer { credited = received }
    return received - credited
  }
}
