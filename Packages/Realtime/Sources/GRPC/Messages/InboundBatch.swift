/// Messages that were handed to their reader together, for it to take one by one.
///
/// A value without lock or I/O. What was taken is reported to ``InboundMessages`` in steps, for
/// the peer gets its window back for that only.
struct InboundBatch {
  private var messages: [InboundMessages.Message] = []
  private var head = 0
  private var step = 0
  private var reported = 0
  /// How much of the stream was taken, in bytes.
  private(set) var taken = 0
  /// What the messages are compressed with, if they are.
  private(set) var encoding = ""

  init() {}

  /// - Parameters:
  ///   - messages: in their order.
  ///   - encoding: what they are compressed with, if they are.
  ///   - step: the bytes after which is reported what was taken.
  ///   - taken: how much of the stream was taken before.
  init(_ messages: [InboundMessages.Message], encoding: String, step: Int, taken: Int) {
    self.messages = messages
    self.encoding = encoding
    self.step = step
    self.taken = taken
    reported = taken
  }

  /// The next message, if that is all there is to do: nothing to report and nothing to inflate.
  mutating func takePlain() -> [UInt8]? {
    guard head < messages.count, taken - reported < step, !messages[head].frame.isCompressed
    else { return nil }
    return take()?.bytes
  }

  mutating func take() -> MessageFrame? {
    guard head < messages.count else { return nil }
    taken = messages[head].end
    // Moved out: a message that two hold would be copied by whoever changes it.
    var frame = MessageFrame(isCompressed: false, bytes: [])
    swap(&frame, &messages[head].frame)
    head += 1
    if head == messages.count {
      messages = []
      head = 0
    }
    return frame
  }

  /// What to report as taken; nil when it can wait.
  mutating func takeReport() -> Int? {
    guard taken > reported, messages.isEmpty || taken - reported >= step else { return nil }
    reported = taken
    return taken
  }
}
