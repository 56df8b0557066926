/// What the bytes of a log are, with pages of 4,096 bytes.
enum LogFile {
  static let headerLength = 32
  static let frameLength = 24 + 4096

  /// How many frames there are before the zeros that end it.
  static func frames(of log: [UInt8]) -> Int {
    var count = 0
    while true {
      let start = headerLength + count * frameLength
      // The number of a page, which is never 0.
      guard start + frameLength <= log.count, log[start..<start + 4].contains(where: { $0 != 0 })
      else { return count }
      count += 1
    }
  }

  /// Where the zeros begin.
  static func end(of log: [UInt8]) -> Int { headerLength + frames(of: log) * frameLength }
}
