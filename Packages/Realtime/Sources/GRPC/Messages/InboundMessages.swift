/// The messages of a stream that have come and were not taken yet, and the peer's debt for them.
///
/// A value without lock or I/O. Frames stay compressed until they are taken, so what is kept is
/// bounded by the window that the peer was given.
struct InboundMessages {
  private var deframer: MessageDeframer
  private var frames: [MessageFrame] = []
  private var ends: [Int] = []
  private var head = 0
  private var received = 0
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

  var isEmpty: Bool { head == frames.count }

  var isWithinMessage: Bool { deframer.isWithinMessage }

  mutating func receive(_ data: UnsafeRawBufferPointer) throws(GRPCStatus) {
    let start = received
    received += data.count
    var (newFrames, newEnds) = (frames, ends)
    (frames, ends) = ([], [])
    defer { (frames, ends) = (newFrames, newEnds) }
    try deframer.receive(data) { frame, position in
      newFrames.append(frame)
      newEnds.append(start + position)
    }
  }

  /// Counts bytes that nobody will look at.
  mutating func skip(_ count: Int) { received += count }

  mutating func take() -> MessageFrame? {
    guard head < frames.count else { return nil }
    let frame = frames[head]
    taken = ends[head]
    head += 1
    if head == frames.count || head >= 256 {
      frames.removeFirst(head)
      ends.removeFirst(head)
      head = 0
    }
    return frame
  }

  /// The bytes to give back to the peer now: those of messages that were taken and, when nobody has
  /// anything left to take, those of the message that is still coming in.
  ///
  /// Otherwise a message larger than the window would never arrive.
  mutating func takeCredit() -> Int {
    let target = isEmpty ? received : taken
    let amount = target - credited
    guard amount >= creditStep || (isEmpty && isWithinMessage) else { return 0 }
    credited = target
    return amount
  }

  /// Drops everything and gives back all of the debt.
  mutating func drop() -> Int {
    frames = []
    ends = []
    head = 0
    defer { credited = received }
    return received - credited
  }
}
