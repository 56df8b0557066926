/// Decides how many zeros are written behind a commit, so that those after it need not make the
/// log longer.
///
/// A sync of a file that has grown writes its new length too, in another place of the disk, and
/// takes twice the time of one that overwrites. A log is emptied whenever its store is closed, so
/// without this nearly every commit of most programs would be of the slower kind. Frames of zeros
/// end a log: none has the salts of its header.
///
/// It writes nothing: whoever asks does.
struct LogRoom: BitwiseCopyable {
  /// So many bytes are added at least.
  static let least: Int64 = 16_384
  /// So many bytes are added at most.
  static let most = Int64(FrameGathering.capacity)

  /// How far the file is known to reach.
  private var reach: Int64 = 0
  /// Whether there was a sync since the last commit.
  private var isSynced = false

  /// The log was synced.
  mutating func synced() { isSynced = true }

  /// Somebody may have changed the length of the log.
  mutating func forget() { reach = 0 }

  /// Decides about the room behind a commit.
  ///
  /// As much as there is of the log already, within bounds: a few commits, as most programs make
  /// them, write few zeros. None where commits are not synced, to which it would be of no use.
  ///
  /// - Parameters:
  ///   - end: Where the commit ends, which is written.
  ///   - length: Asks how long the file is; nil where that is not known.
  /// - Returns: How many zeros are to be written there.
  mutating func zeros(behind end: Int64, length: () -> Int64?) -> Int {
    defer { isSynced = false }
    guard isSynced, end > reach, let length = length() else { return 0 }
    reach = length
    return end < length ? 0 : Int(min(max(end, LogRoom.least), LogRoom.most))
  }
}
