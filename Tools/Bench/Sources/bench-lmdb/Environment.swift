import BenchKit
internal import CLMDB

/// One environment with its one database.
final class Environment {
  private static let largest = 1 << 32

  private let environment: OpaquePointer
  private let database: MDB_dbi
  private let reading: OpaquePointer

  init(_ directory: String) throws(Failure) {
    var environment: OpaquePointer?
    try Environment.check(mdb_env_create(&environment))
    guard let environment else { throw Failure("LMDB has no environment") }
    try Environment.check(mdb_env_set_mapsize(environment, Environment.largest))
    // A writing transaction belongs to its thread, and each here begins and ends in one call.
    try Environment.check(mdb_env_open(environment, directory, UInt32(MDB_NOTLS), 0o600))
    var transaction: OpaquePointer?
    var database = MDB_dbi()
    try Environment.check(mdb_txn_begin(environment, nil, 0, &transaction))
    try Environment.check(mdb_dbi_open(transaction, nil, 0, &database))
    try Environment.check(mdb_txn_commit(transaction))
    var reading: OpaquePointer?
    try Environment.check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &reading))
    guard let reading else { throw Failure("LMDB has no reading transaction") }
    mdb_txn_reset(reading)
    self.environment = environment
    self.database = database
    self.reading = reading
  }

  deinit {
    mdb_txn_abort(reading)
    mdb_env_close(environment)
  }

  func get(_ key: String) throws(Failure) -> [UInt8] {
    try Environment.check(mdb_txn_renew(reading))
    defer { mdb_txn_reset(reading) }
    var key = key
    var value = MDB_val()
    let status = key.withUTF8 { name in
      var name = MDB_val(
        mv_size: name.count,
        mv_data: UnsafeMutableRawPointer(mutating: name.baseAddress)
      )
      return mdb_get(reading, database, &name, &value)
    }
    try Environment.check(status)
    return Array(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
  }

  func set(_ count: Int, _ entry: (Int) -> (key: String, value: [UInt8])) throws(Failure) {
    var transaction: OpaquePointer?
    try Environment.check(mdb_txn_begin(environment, nil, 0, &transaction))
    for index in 0..<count {
      var (key, bytes) = entry(index)
      let status = key.withUTF8 { name in
        bytes.withUnsafeMutableBytes { bytes in
          var name = MDB_val(
            mv_size: name.count,
            mv_data: UnsafeMutableRawPointer(mutating: name.baseAddress)
          )
          var value = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
          return mdb_put(transaction, database, &name, &value, 0)
        }
      }
      try Environment.check(status)
    }
    try Environment.check(mdb_txn_commit(transaction))
  }

  private static func check(_ status: Int32) throws(Failure) {
    guard status == 0 else { throw Failure("LMDB: \(String(cString: mdb_strerror(status)))") }
  }
}
