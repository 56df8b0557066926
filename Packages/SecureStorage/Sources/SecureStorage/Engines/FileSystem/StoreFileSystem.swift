internal import CSQLite
internal import Synchronization

/// SQLite's file system with four changes.
///
/// No page reaches a database with anything but zeros in its gap (``PageGap``); in the log old rows
/// stay until it is emptied, since its frames have checksums. A commit reaches the log in one write
/// (``FrameGathering``). The log is made longer for several commits at once (``LogRoom``). And a
/// writer moves no mark of readers (``MarkKeeping``).
enum StoreFileSystem {
  /// The name to open a connection with; nil is SQLite's own file system.
  static let name: String? = register()

  private typealias File = UnsafeMutablePointer<sqlite3_file>
  private typealias Methods = UnsafePointer<sqlite3_io_methods>

  /// What we know of a file: it lies behind SQLite's own structure of it.
  private struct Extension {
    /// SQLite's functions for the file.
    let methods: Methods
    /// Of a database: its log, where that is open.
    var log: File?
    var marks = MarkKeeping()
    /// Of a log.
    var frames = FrameGathering()
    var room = LogRoom()
    private var buffer: UnsafeMutableRawBufferPointer?

    init(methods: Methods) { self.methods = methods }

    mutating func roomForFrames() -> UnsafeMutableRawBufferPointer {
      if let buffer { return buffer }
      let room = UnsafeMutableRawBufferPointer.allocate(
        byteCount: FrameGathering.capacity,
        alignment: 8
      )
      buffer = room
      return room
    }

    mutating func giveUpRoom() {
      frames.drop()
      buffer?.deallocate()
      buffer = nil
    }
  }

  /// The address of our table of functions for that of each of SQLite's, which differ in how they
  /// lock a file.
  ///
  /// A table is constant once it is made, and none is ever freed.
  private static let tables = Mutex<[(theirs: UInt, isLog: Bool, ours: UInt)]>([])

  /// Where our part of a file begins.
  private static let extensionOffset: Int = {
    let size = Int(sqlite3_vfs_find(nil)?.pointee.szOsFile ?? 0)
    let alignment = MemoryLayout<Extension>.alignment
    return (size + alignment - 1) / alignment * alignment
  }()

  private static func register() -> String? {
    // Constant, as SQLite may use it until the process ends.
    let name: StaticString = "store"
    guard sqlite3_initialize() == SQLITE_OK, let base = sqlite3_vfs_find(nil) else { return nil }
    let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    system.initialize(to: base.pointee)
    system.pointee.zName = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    system.pointee.pNext = nil
    system.pointee.szOsFile = Int32(extensionOffset + MemoryLayout<Extension>.size)
    system.pointee.xOpen = { _, path, file, flags, outFlags in
      guard let base = sqlite3_vfs_find(nil), let open = base.pointee.xOpen else {
        return SQLITE_CANTOPEN
      }
      let code = open(base, path, file, flags, outFlags)
      if code == SQLITE_OK, let file {
        if flags & SQLITE_OPEN_MAIN_DB != 0 { _ = StoreFileSystem.takeOver(file, isLog: false) }
        if flags & SQLITE_OPEN_WAL != 0, let path { StoreFileSystem.takeOver(log: file, path) }
      }
      return code
    }
    return sqlite3_vfs_register(system, 0) == SQLITE_OK ? "\(name)" : nil
  }

  private static func ours(_ file: File) -> UnsafeMutablePointer<Extension> {
    (UnsafeMutableRawPointer(file) + extensionOffset).assumingMemoryBound(to: Extension.self)
  }

  /// Frames are only held back in a log whose database says when a transaction is over.
  private static func takeOver(log file: File, _ path: UnsafePointer<CChar>) {
    guard let database = sqlite3_database_file_object(path), isTakenOver(database),
      takeOver(file, isLog: true)
    else { return }
    ours(database).pointee.log = file
  }

  /// What decides about the marks of a connection's database, for as long as that is open; nil
  /// where SQLite's own file system has it.
  static func marks(of connection: OpaquePointer) -> UnsafeMutablePointer<MarkKeeping>? {
    var file: File?
    guard
      sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, isTakenOver(file), let offset = MemoryLayout<Extension>.offset(of: \.marks)
    else { return nil }
    return (UnsafeMutableRawPointer(ours(file)) + offset).assumingMemoryBound(to: MarkKeeping.self)
  }

  private static func isTakenOver(_ database: File) -> Bool {
    let methods = UInt(bitPattern: database.pointee.pMethods)
    return tables.withLock { $0.contains { $0.ours == methods && !$0.isLog } }
  }

  /// Puts our functions in place of SQLite's.
  private static func takeOver(_ file: File, isLog: Bool) -> Bool {
    guard let theirs = file.pointee.pMethods, theirs.pointee.xWrite != nil,
      theirs.pointee.iVersion >= 2 || !isLog
    else { return false }
    let address = UInt(bitPattern: theirs)
    let table = tables.withLock { tables in
      if let known = tables.first(where: { $0.theirs == address && $0.isLog == isLog }) {
        return known.ours
      }
      let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      table.initialize(to: theirs.pointee)
      if isLog { setLogMethods(table) } else { setDatabaseMethods(table) }
      tables.append((address, isLog, UInt(bitPattern: table)))
      return UInt(bitPattern: table)
    }
    ours(file).initialize(to: Extension(methods: theirs))
    file.pointee.pMethods = Methods(bitPattern: table)
    return true
  }
}

/// The database.
extension StoreFileSystem {
  private static func setDatabaseMethods(_ table: UnsafeMutablePointer<sqlite3_io_methods>) {
    table.pointee.xWrite = { file, bytes, count, offset in
      guard let file, let bytes else { return SQLITE_IOERR }
      let page = UnsafeRawBufferPointer(start: bytes, count: Int(count))
      return StoreFileSystem.write(page, to: file, at: offset)
    }
    guard table.pointee.iVersion >= 2 else { return }
    table.pointee.xShmLock = { file, slot, count, flags in
      guard let file else { return SQLITE_IOERR }
      let isTaking = flags == SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
      if isTaking, StoreFileSystem.ours(file).pointee.marks.refuses(slot: Int(slot)) {
        return SQLITE_BUSY
      }
      // The writers' lock: their transaction is over, and what it has not committed by now must
      // not come after what others commit.
      if slot == 0, flags == SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE {
        if let log = StoreFileSystem.ours(file).pointee.log {
          StoreFileSystem.ours(log).pointee.frames.drop()
        }
      }
      return StoreFileSystem.ours(file).pointee.methods.pointee.xShmLock(file, slot, count, flags)
    }
  }

  private static func write(
    _ page: UnsafeRawBufferPointer,
    to file: File,
    at offset: Int64
  ) -> Int32 {
    guard let write = ours(file).pointee.methods.pointee.xWrite else { return SQLITE_IOERR }
    guard let gap = PageGap.find(in: page, at: offset) else {
      return write(file, page.baseAddress, Int32(page.count), offset)
    }
    return withUnsafeTemporaryAllocation(byteCount: page.count, alignment: 8) { copy in
      copy.copyMemory(from: page)
      for index in gap { copy[index] = 0 }
      return write(file, copy.baseAddress, Int32(page.count), offset)
    }
  }
}

/// The log.
extension StoreFileSystem {
  private static func setLogMethods(_ table: UnsafeMutablePointer<sqlite3_io_methods>) {
    table.pointee.xWrite = { file, bytes, count, offset in
      guard let file, let bytes else { return SQLITE_IOERR }
      let part = UnsafeRawBufferPointer(start: bytes, count: Int(count))
      return StoreFileSystem.append(part, to: file, at: offset)
    }
    table.pointee.xRead = { file, bytes, count, offset in
      StoreFileSystem.written(file) { $0.xRead($1, bytes, count, offset) }
    }
    table.pointee.xSync = { file, flags in
      if let file { StoreFileSystem.ours(file).pointee.room.synced() }
      return StoreFileSystem.written(file) { $0.xSync($1, flags) }
    }
    table.pointee.xTruncate = { file, size in
      if let file { StoreFileSystem.ours(file).pointee.room.forget() }
      return StoreFileSystem.written(file) { $0.xTruncate($1, size) }
    }
    table.pointee.xFileSize = { file, size in
      StoreFileSystem.written(file) { $0.xFileSize($1, size) }
    }
    table.pointee.xClose = { file in
      guard let file else { return SQLITE_IOERR }
      let methods = StoreFileSystem.ours(file).pointee.methods
      StoreFileSystem.ours(file).pointee.giveUpRoom()
      return methods.pointee.xClose(file)
    }
  }

  private static func append(
    _ bytes: UnsafeRawBufferPointer,
    to file: File,
    at offset: Int64
  ) -> Int32 {
    let ours = ours(file)
    let count = ours.pointee.frames.held.count
    let step = ours.pointee.frames.step(bytes, at: offset)
    guard step == .write else {
      let buffer = ours.pointee.roomForFrames()
      UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
      guard step == .holdAndWrite else { return SQLITE_OK }
      let code = writeHeld(file)
      if code == SQLITE_OK { makeRoom(in: file, behind: offset + Int64(bytes.count)) }
      return code
    }
    // The beginning of a log, or what comes behind frames of another process.
    ours.pointee.room.forget()
    let code = writeHeld(file)
    guard code == SQLITE_OK else { return code }
    return ours.pointee.methods.pointee.xWrite(
      file,
      bytes.baseAddress,
      Int32(bytes.count),
      offset
    )
  }

  /// Does something with a log in which nothing is missing.
  private static func written(_ file: File?, _ body: (sqlite3_io_methods, File) -> Int32) -> Int32 {
    guard let file else { return SQLITE_IOERR }
    let code = writeHeld(file)
    return code == SQLITE_OK ? body(ours(file).pointee.methods.pointee, file) : code
  }

  private static func writeHeld(_ file: File) -> Int32 {
    let ours = ours(file)
    let held = ours.pointee.frames.held
    guard held.count > 0 else { return SQLITE_OK }
    let code = ours.pointee.methods.pointee.xWrite(
      file,
      ours.pointee.roomForFrames().baseAddress,
      Int32(held.count),
      held.offset
    )
    if code == SQLITE_OK { ours.pointee.frames.wrote() } else { ours.pointee.frames.drop() }
    return code
  }

  /// Makes the log longer than it must be; where that fails, it is as long as it must be.
  private static func makeRoom(in file: File, behind end: Int64) {
    let ours = ours(file)
    let methods = ours.pointee.methods.pointee
    let count = ours.pointee.room.zeros(behind: end) {
      var length: Int64 = 0
      return methods.xFileSize(file, &length) == SQLITE_OK ? length : nil
    }
    guard count > 0 else { return }
    // What was held there is written.
    let zeros = UnsafeMutableRawBufferPointer(rebasing: ours.pointee.roomForFrames()[..<count])
    zeros.initializeMemory(as: UInt8.self, repeating: 0)
    if methods.xWrite(file, zeros.baseAddress, Int32(count), end) != SQLITE_OK {
      _ = methods.xTruncate(file, end)
    }
  }
}
