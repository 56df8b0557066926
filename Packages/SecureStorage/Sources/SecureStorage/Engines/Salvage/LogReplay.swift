/// Applies a write-ahead log to the bytes of its database, as SQLite does when it recovers: up to
/// the last commit before the first frame that is not sound.
struct LogReplay {
  private static let headerLength = 32
  private static let frameHeaderLength = 24

  private let log: [UInt8]
  private let pageSize: Int
  private let isBigEndian: Bool
  /// Where in the log the two salts stand that a frame must have.
  private let salts: Int
  /// Whether frames that are not sound are left out, and those after them still count.
  private let isLenient: Bool
  private var sums: (UInt32, UInt32)

  /// A replay; nil where the log's header is not sound, and SQLite would pass it over, too.
  private init?(_ log: [UInt8]) {
    guard log.count >= LogReplay.headerLength, log.number(at: 0) & ~1 == 0x377F_0682 else {
      return nil
    }
    self.log = log
    isBigEndian = log.number(at: 0) & 1 == 1
    pageSize = Int(log.number(at: 8))
    salts = 16
    isLenient = false
    sums = (0, 0)
    guard pageSize.isPageSize else { return nil }
    add(0..<24)
    guard sums == (log.number(at: 24), log.number(at: 28)) else { return nil }
  }

  /// A replay that leaves out what is not sound, be it the header.
  private init?(soundFramesOf log: [UInt8]) {
    guard log.count >= LogReplay.headerLength + LogReplay.frameHeaderLength else { return nil }
    self.log = log
    isBigEndian = log.number(at: 0) == 0x377F_0683
    let named = Int(log.number(at: 8))
    pageSize = named.isPageSize ? named : 4096
    // Those of the header may be the damage; two frames that agree are not.
    let second = LogReplay.headerLength + LogReplay.frameHeaderLength + pageSize + 8
    let first = LogReplay.headerLength + 8
    let agree =
      second + 8 <= log.count && log[first..<first + 8].elementsEqual(log[second..<second + 8])
    salts = agree ? first : 16
    isLenient = true
    sums = (log.number(at: 24), log.number(at: 28))
  }

  /// The database with what the log holds.
  static func apply(_ log: [UInt8], to database: [UInt8]) -> [UInt8] {
    guard var replay = LogReplay(log) else { return database }
    return replay.applied(to: database)
  }

  /// The database with every sound frame of the log up to its last commit; nil where that is
  /// the same as what ``apply(_:to:)`` gives.
  ///
  /// Pages of different commits may stand side by side then, as SQLite has it nowhere.
  static func applySoundFrames(of log: [UInt8], to database: [UInt8]) -> [UInt8]? {
    guard var replay = LogReplay(soundFramesOf: log) else { return nil }
    let patched = replay.applied(to: database)
    return patched == apply(log, to: database) ? nil : patched
  }

  private mutating func applied(to database: [UInt8]) -> [UInt8] {
    var (committed, pending) = (database, [(page: Int, start: Int)]())
    var position = LogReplay.headerLength
    while position + LogReplay.frameHeaderLength + pageSize <= log.count {
      let start = position + LogReplay.frameHeaderLength
      let page = Int(log.number(at: position))
      add(position..<position + 8)
      add(start..<start + pageSize)
      let stored = (log.number(at: position + 16), log.number(at: position + 20))
      guard page > 0, log[position + 8..<position + 16].elementsEqual(log[salts..<salts + 8]),
        sums == stored
      else {
        guard isLenient else { break }
        // Each frame's sums go on from those of the one before it, as they were written there.
        sums = stored
        position = start + pageSize
        continue
      }
      pending.append((page, start))
      let pages = Int(log.number(at: position + 4))
      if pages > 0, pages <= database.count / pageSize + log.count / pageSize {
        commit(pending, pages, &committed)
        pending = []
      }
      position = start + pageSize
    }
    return committed
  }

  private func commit(_ frames: [(page: Int, start: Int)], _ pages: Int, _ image: inout [UInt8]) {
    let length = pages * pageSize
    if image.count < length { image += [UInt8](repeating: 0, count: length - image.count) }
    for frame in frames where frame.page <= pages {
      let place = (frame.page - 1) * pageSize
      let content = log[frame.start..<frame.start + pageSize]
      image.replaceSubrange(place..<place + pageSize, with: content)
    }
    image.removeLast(image.count - length)
  }

  /// SQLite's checksum: two running sums over pairs of words.
  private mutating func add(_ range: Range<Int>) {
    var (first, second) = sums
    for index in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      first = first &+ word(at: index) &+ second
      second = second &+ word(at: index + 4) &+ first
    }
    sums = (first, second)
  }

  private func word(at index: Int) -> UInt32 {
    isBigEndian ? log.number(at: index) : log.number(at: index).byteSwapped
  }
}

extension [UInt8] {
  /// The four bytes at a place, the highest first; they must be there.
  func number(at index: Int) -> UInt32 {
    UInt32(self[index]) << 24 | UInt32(self[index + 1]) << 16 | UInt32(self[index + 2]) << 8
      | UInt32(self[index + 3])
  }

  /// The two bytes at a place, the highest first; they must be there.
  func shortNumber(at index: Int) -> Int { Int(self[index]) << 8 | Int(self[index + 1]) }
}

extension Int {
  /// Whether SQLite has pages of this size.
  var isPageSize: Bool { (512...65_536).contains(self) && nonzeroBitCount == 1 }
}
