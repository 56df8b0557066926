/// The bytes of one stream that wait for the peer's window, and what comes after them.
struct OutboundBody {
  private var bytes: [UInt8] = []
  private var start = 0
  private(set) var isEnded = false
  /// Sent after the last byte, in place of the end of the stream.
  private(set) var trailers: [HTTP2Header]?
  /// nghttp2 was told that there is nothing now, and must be told when there is.
  var isDeferred = false

  var count: Int { bytes.count - start }

  mutating func append(_ more: [UInt8]) {
    if count == 0 {
      bytes = more
      start = 0
    } else {
      bytes.append(contentsOf: more)
    }
  }

  mutating func end(trailers: [HTTP2Header]?) {
    isEnded = true
    self.trailers = trailers
  }

  /// Moves bytes into `target`, as many as fit.
  mutating func take(into target: UnsafeMutableRawBufferPointer) -> Int {
    let size = min(count, target.count)
    guard size > 0 else { return 0 }
    bytes.withUnsafeBytes { raw in
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: raw[start..<start + size]))
    }
    start += size
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 16)
      start = 0
    } else if start > 1 << 18 {
      bytes.removeFirst(start)
      start = 0
    }
    return size
  }
}
