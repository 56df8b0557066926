import Foundation

/// What the disk needs for the smallest durable write: 1.5 KB into a file that has its space, and
/// `fdatasync`.
package final class DiskReference {
  private static let bytes = 1_536
  private static let places = 2_048
  private let file: Int32
  private let content = [UInt8](repeating: 0x5A, count: DiskReference.bytes)

  /// What it is, in words.
  package static let name = "one preallocated write of 1.5 KB and fdatasync"

  /// A file in a directory, written once from end to end.
  ///
  /// - Throws: ``Failure`` where it cannot be.
  package init(in directory: String) throws {
    file = open("\(directory)/reference", O_RDWR | O_CREAT, 0o600)
    let zeros = [UInt8](repeating: 0, count: DiskReference.bytes * DiskReference.places)
    guard file >= 0, pwrite(file, zeros, zeros.count, 0) == zeros.count, fsync(file) == 0 else {
      throw Failure("cannot write to \(directory): \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(file) }

  /// Writes once, durably.
  package func write(_ index: Int) {
    let place = index % DiskReference.places * DiskReference.bytes
    precondition(pwrite(file, content, content.count, off_t(place)) == content.count)
    #if os(Linux)
    precondition(fdatasync(file) == 0)
    #else
    precondition(fsync(file) == 0)
    #endif
  }
}
