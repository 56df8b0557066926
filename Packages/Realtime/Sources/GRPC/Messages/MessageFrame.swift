/// One length-prefixed message as it lies on the wire, perhaps compressed.
struct MessageFrame: Equatable {
  var isCompressed: Bool
  var bytes: [UInt8]
}

extension MessageFrame {
  /// The prefix of 5 bytes and the message.
  var encoded: [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 5)
    result.append(isCompressed ? 1 : 0)
    let count = UInt32(truncatingIfNeeded: bytes.count)
    for shift: UInt32 in [24, 16, 8, 0] { result.append(UInt8(truncatingIfNeeded: count >> shift)) }
    result.append(contentsOf: bytes)
    return result
  }
}
