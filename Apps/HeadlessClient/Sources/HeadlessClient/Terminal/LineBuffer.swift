/// Cuts bytes into lines that end with LF or CR LF; the last one may lack its end.
struct LineBuffer {
  private var bytes: [UInt8] = []
  private var start = 0
  /// Up to here there is no LF.
  private var searched = 0
  /// Whether all was given and all was taken.
  var isEnded: Bool { isClosed && count == 0 }
  private var isClosed = false

  /// The bytes that wait for the end of their line.
  var count: Int { bytes.count - start }

  /// Adds bytes; none at all are the end of the input.
  mutating func append(_ more: [UInt8]) {
    if more.isEmpty { isClosed = true } else { bytes += more }
  }

  /// The next whole line without its end; nil where none is there yet.
  mutating func takeLine() -> [UInt8]? {
    if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
      return take(to: end, next: end + 1)
    }
    searched = bytes.count
    return isClosed && count > 0 ? take(to: bytes.count, next: bytes.count) : nil
  }

  private mutating func take(to end: Int, next: Int) -> [UInt8] {
    var line = Array(bytes[start..<end])
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    start = next
    if start == bytes.count || start > 1 << 16 {
      bytes.removeFirst(start)
      start = 0
    }
    searched = start
    return line
  }
}
