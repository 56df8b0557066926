/// Decides which writes to a log are held back, so that a commit reaches it in one call.
///
/// SQLite writes a header of 24 bytes and a page for each page that a commit changes, and each of
/// these calls costs a file system as much as one for all of them. So frames that are appended are
/// held back until the one that ends a commit, whose header says so: it is never held, and what
/// SQLite is told of its write holds for the others too. Nobody else reads a frame before that.
///
/// It holds no bytes and writes nothing: whoever asks does.
struct FrameGathering: BitwiseCopyable {
  /// So many bytes are held at most.
  static let capacity = 65_536
  private static let logHeaderLength = 32
  private static let frameHeaderLength = 24

  /// What is to be done with a write.
  enum Step: Equatable {
    /// It is kept behind what is held.
    case hold
    /// It is kept, and all of it is written then.
    case holdAndWrite
    /// What is held is written, then it is.
    case write
  }

  /// Where the held bytes belong, and how many there are.
  private(set) var held = Held(offset: 0, count: 0)
  /// Where the last frame ends; negative where that is not known.
  private var end: Int64 = -1
  /// Where the page belongs whose header came last; negative where something else did.
  private var page: Int64 = -1
  private var isCommit = false

  struct Held: Equatable, BitwiseCopyable {
    var offset: Int64
    var count: Int
  }

  /// Decides about the next write.
  ///
  /// - Parameters:
  ///   - bytes: What SQLite writes.
  ///   - offset: Where.
  /// - Returns: What is to be done with it.
  mutating func step(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Step {
    if bytes.count == FrameGathering.frameHeaderLength {
      page = offset + Int64(bytes.count)
      // The size of the database after the commit, or zeros.
      isCommit = bytes[4..<8].contains { $0 != 0 }
      // A header elsewhere than behind the last frame is mended in its place, and has no page.
      return offset == end && hold(bytes.count, at: offset) ? .hold : .write
    }
    if offset == page {
      page = -1
      end = offset + Int64(bytes.count)
      guard held.count > 0, hold(bytes.count, at: offset) else { return .write }
      return isCommit ? .holdAndWrite : .hold
    }
    page = -1
    if offset == 0, bytes.count == FrameGathering.logHeaderLength { end = Int64(bytes.count) }
    return .write
  }

  /// What was held is in the file.
  mutating func wrote() { held.count = 0 }

  /// What was held is never written: the transaction is over without a commit, or a write failed.
  mutating func drop() {
    held.count = 0
    page = -1
  }

  private mutating func hold(_ count: Int, at offset: Int64) -> Bool {
    guard held.count + count <= FrameGathering.capacity else { return false }
    if held.count == 0 { held.offset = offset }
    held.count += count
    return true
  }
}
