internal import CSQLite
internal import Synchronization

/// SQLite's file system, except that no page reaches a database with anything but zeros between
/// its list of cells and its cells.
///
/// `secure_delete` overwrites a row where it lies, but when the tree moves rows from one page to
/// another their copies stay behind in that gap, which SQLite never reads. In the log they stay
/// until it is emptied, since its frames have checksums.
enum ScrubbingFileSystem {
  /// The name to open a connection with; nil is SQLite's own file system.
  static let name: String? = register()

  private typealias Write =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_file>?, UnsafeRawPointer?, Int32, sqlite3_int64
    ) -> Int32

  /// The address of our table of functions for that of each of SQLite's (they differ in how they
  /// lock a file), and the one function that all of those write with.
  ///
  /// A table is constant once it is made, and none is ever freed.
  private struct Tables {
    var ours: [(theirs: UInt, ours: UInt)] = []
    var write: Write?
  }

  private static let tables = Mutex(Tables())

  private static func register() -> String? {
    let name = "store"
    guard sqlite3_initialize() == SQLITE_OK, let base = sqlite3_vfs_find(nil) else { return nil }
    let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    system.initialize(to: base.pointee)
    // Never freed, as SQLite may use it until the process ends.
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: name.utf8.count + 1)
    for (index, byte) in name.utf8CString.enumerated() { text[index] = byte }
    system.pointee.zName = UnsafePointer(text)
    system.pointee.pNext = nil
    system.pointee.xOpen = { _, path, file, flags, outFlags in
      guard let base = sqlite3_vfs_find(nil), let open = base.pointee.xOpen else {
        return SQLITE_CANTOPEN
      }
      let code = open(base, path, file, flags, outFlags)
      if code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let file {
        ScrubbingFileSystem.takeOver(file)
      }
      return code
    }
    return sqlite3_vfs_register(system, 0) == SQLITE_OK ? name : nil
  }

  /// Puts our function for writing in place of SQLite's.
  private static func takeOver(_ file: UnsafeMutablePointer<sqlite3_file>) {
    let theirs = UInt(bitPattern: file.pointee.pMethods)
    let ours = tables.withLock { tables -> UInt? in
      if let known = tables.ours.first(where: { $0.theirs == theirs }) { return known.ours }
      guard let methods = UnsafePointer<sqlite3_io_methods>(bitPattern: theirs),
        let write = methods.pointee.xWrite
      else { return nil }
      let known = tables.write.map { unsafeBitCast($0, to: Int.self) }
      guard known == nil || known == unsafeBitCast(write, to: Int.self) else { return nil }
      tables.write = write
      let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      table.initialize(to: methods.pointee)
      table.pointee.xWrite = { file, bytes, count, offset in
        ScrubbingFileSystem.write(file, bytes, count, offset)
      }
      tables.ours.append((theirs, UInt(bitPattern: table)))
      return UInt(bitPattern: table)
    }
    if let ours { file.pointee.pMethods = UnsafePointer(bitPattern: ours) }
  }

  private static func write(
    _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ bytes: UnsafeRawPointer?,
    _ count: Int32,
    _ offset: sqlite3_int64
  ) -> Int32 {
    guard let original = tables.withLock({ $0.write }), let bytes else { return SQLITE_IOERR }
    let page = UnsafeRawBufferPointer(start: bytes, count: Int(count))
    guard let gap = gap(in: page, at: offset) else { return original(file, bytes, count, offset) }
    return withUnsafeTemporaryAllocation(byteCount: page.count, alignment: 8) { copy in
      copy.copyMemory(from: page)
      for index in gap { copy[index] = 0 }
      return original(file, copy.baseAddress, count, offset)
    }
  }

  /// What lies between the list of cells and the cells of a page of a tree; nil for all else.
  static func gap(in page: UnsafeRawBufferPointer, at offset: Int64) -> Range<Int>? {
    guard page.count >= 512, page.count & (page.count - 1) == 0,
      offset % Int64(page.count) == 0
    else { return nil }
    // The first page begins with the file's header.
    let header = offset == 0 ? 100 : 0
    func number(_ place: Int) -> Int { Int(page[place]) << 8 | Int(page[place + 1]) }
    let listStart: Int
    // Pages of other kinds begin with a page's number, whose first byte is 0 in any file of less
    // than 128 GB.
    switch page[header] {
    case 2, 5: listStart = header + 12
    case 10, 13: listStart = header + 8
    default: return nil
    }
    let start = listStart + 2 * number(header + 3)
    let cells = number(header + 5)
    let end = cells == 0 ? 65_536 : cells
    return start < end && end <= page.count ? start..<end : nil
  }
}
