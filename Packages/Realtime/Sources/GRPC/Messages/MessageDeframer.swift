/// Cuts the bytes of a stream into messages, however they were cut into DATA frames.
struct MessageDeframer {
  private let limit: Int
  private var prefix: UInt64 = 0
  private var prefixCount = 0
  private var body: [UInt8] = []
  private var missing = 0
  private var isCompressed = false

  init(limit: Int) { self.limit = limit }

  /// Whether a message has begun and not ended.
  var isWithinMessage: Bool { prefixCount > 0 }

  /// Takes bytes; each whole message goes to `emit`, with the number of bytes taken so far.
  mutating func receive(
    _ data: UnsafeRawBufferPointer,
    _ emit: (MessageFrame, Int) -> Void
  ) throws(GRPCStatus) {
    var position = 0
    while position < data.count {
      if prefixCount < 5 {
        prefix = prefix << 8 | UInt64(data[position])
        prefixCount += 1
        position += 1
        if prefixCount < 5 { continue }
        try readPrefix()
        // A message that lies whole in the bytes is copied once, into memory of its size.
        if missing <= data.count - position {
          body = Array(UnsafeRawBufferPointer(rebasing: data[position..<position + missing]))
          position += missing
          missing = 0
        } else {
          // A peer that announces much and sends nothing must not cost the memory.
          body.reserveCapacity(min(missing, 1 << 16))
        }
      } else {
        let size = min(missing, data.count - position)
        body.append(contentsOf: UnsafeRawBufferPointer(rebasing: data[position..<position + size]))
        missing -= size
        position += size
      }
      if missing == 0 {
        emit(MessageFrame(isCompressed: isCompressed, bytes: body), position)
        prefix = 0
        prefixCount = 0
        body = []
      }
    }
  }

  private mutating func readPrefix() throws(GRPCStatus) {
    let flag = prefix >> 32
    guard flag <= 1 else {
      throw GRPCStatus(.internalError, "A message has the impossible flag \(flag).")
    }
    isCompressed = flag == 1
    missing = Int(prefix & 0xFFFF_FFFF)
    guard missing <= limit else {
      throw GRPCStatus(
        .resourceExhausted,
        "A message of \(missing) bytes is above the limit of \(limit) bytes."
      )
    }
  }
}
