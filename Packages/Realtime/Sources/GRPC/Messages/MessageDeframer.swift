/// Cuts the bytes of a stream into messages, however they were cut into DATA frames.
struct MessageDeframer {
  private let limit: Int
  private var prefix: [UInt8] = []
  private var body: [UInt8] = []
  private var missing = 0
  private var isCompressed = false

  init(limit: Int) { self.limit = limit }

  /// Whether a message has begun and not ended.
  var isWithinMessage: Bool { !prefix.isEmpty }

  /// Takes bytes; each whole message goes to `emit`, with the number of bytes taken so far.
  mutating func receive(
    _ data: UnsafeRawBufferPointer,
    _ emit: (MessageFrame, Int) -> Void
  ) throws(GRPCStatus) {
    var position = 0
    while position < data.count {
      if prefix.count < 5 {
        prefix.append(data[position])
        position += 1
        if prefix.count < 5 { continue }
        try readPrefix()
      } else {
        let size = min(missing, data.count - position)
        body.append(contentsOf: UnsafeRawBufferPointer(rebasing: data[position..<position + size]))
        missing -= size
        position += size
      }
      if missing == 0 {
        emit(MessageFrame(isCompressed: isCompressed, bytes: body), position)
        prefix.removeAll(keepingCapacity: true)
        body = []
      }
    }
  }

  private mutating func readPrefix() throws(GRPCStatus) {
    guard prefix[0] <= 1 else {
      throw GRPCStatus(.internalError, "A message has the impossible flag \(prefix[0]).")
    }
    isCompressed = prefix[0] == 1
    missing = prefix[1...].reduce(0) { $0 << 8 | Int($1) }
    guard missing <= limit else {
      throw GRPCStatus(
        .resourceExhausted,
        "A message of \(missing) bytes is above the limit of \(limit) bytes."
      )
    }
    // A peer that announces much and sends nothing must not cost the memory.
    body.reserveCapacity(min(missing, 1 << 16))
  }
}
