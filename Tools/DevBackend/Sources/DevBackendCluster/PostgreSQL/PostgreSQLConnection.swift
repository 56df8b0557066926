internal import CPostgreSQL
internal import DevBackend

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Android)
internal import Android
#else
internal import Glibc
#endif

/// One connection to a PostgreSQL server; each call blocks, for as long as the time limit.
///
/// It is not thread-safe; unchecked, since ``PostgreSQLEngine`` hands it from thread to thread,
/// and takes it out of its pool, under a lock, for as long as a thread uses it.
final class PostgreSQLConnection: SQLConnection, @unchecked Sendable {
  private let handle: OpaquePointer
  private let patience: Patience
  private let pulse: ServerPulse
  // Names of prepared statements, by their text.
  private var statements: [String: String] = [:]
  /// What was wrong with the last statement; nil where nothing was.
  private(set) var fault: PostgreSQLFault?
  private(set) var changes = 0
  /// Whether the end of the transaction was asked for.
  private(set) var isCommitting = false

  let rowLock = " FOR UPDATE"

  /// Connects; blocks.
  ///
  /// - Parameters:
  ///   - url: as libpq takes it, `postgres://user:password@host:port/database?option=value`.
  ///   - patience: how long a statement may take, and the server may say nothing.
  ///   - pulse: when the server last said something, which this connection tells too.
  /// - Throws: ``BackendError`` where the server cannot be reached, or is of no use.
  init(
    url: String,
    patience: Patience,
    pulse: ServerPulse = ServerPulse()
  ) throws(BackendError) {
    // Those before `dbname` are defaults, which the URL may change; those after it win.
    let options = [
      ("connect_timeout", "2"),
      ("tcp_user_timeout", String(patience.silence.components.seconds * 1_000)),
      ("keepalives_idle", "10"), ("keepalives_interval", "5"),
      ("target_session_attrs", "read-write"), ("application_name", "dev-backend"),
      ("dbname", url), ("client_encoding", "UTF8"),
    ]
    let made = Self.withPointers(options.map(\.0)) { keys in
      Self.withPointers(options.map(\.1)) { PQconnectdbParams(keys, $0, 1) }
    }
    guard let made else { throw BackendError(.database, "there is no memory for a connection") }
    guard PQstatus(made) == CONNECTION_OK else {
      let message = Self.line(PQerrorMessage(made))
      PQfinish(made)
      throw BackendError(.database, "cannot connect to PostgreSQL: \(message)")
    }
    (handle, self.patience, self.pulse) = (made, patience, pulse)
    pulse.heard()
    PQsetnonblocking(made, 1)
    // Notices of the server are no output of this program.
    PQsetNoticeProcessor(made, { _, _ in }, nil)
    try prepareSession()
  }

  /// The same, where the server may say nothing for as long as a statement may take.
  convenience init(url: String, limit: Duration) throws(BackendError) {
    try self.init(url: url, patience: Patience(limit: limit, silence: limit))
  }

  deinit { PQfinish(handle) }

  func run(_ statement: String, _ values: [SQLValue]) throws(BackendError) -> [SQLRow] {
    let name = try prepared(statement)
    let texts = values.map(Self.parameter)
    let sent = Self.withPointers(texts) { pointers in
      PQsendQueryPrepared(handle, name, Int32(texts.count), pointers, nil, nil, 0)
    }
    return try answer(wasSent: sent == 1)
  }

  func lockSchema() throws(BackendError) {
    // Any number will do that all instances know, and no other schema's; it is released with the
    // transaction.
    try run(
      "SELECT pg_advisory_xact_lock(7310579023 + hashtext(coalesce(current_schema(), '')))"
    )
  }

  /// Begins a transaction.
  func begin() throws(BackendError) {
    isCommitting = false
    try run("BEGIN")
  }

  /// Runs a statement that is not worth preparing.
  @discardableResult
  func runOnce(_ statement: String) throws(BackendError) -> [SQLRow] {
    try answer(wasSent: PQsendQuery(handle, statement) == 1)
  }

  /// Commits.
  ///
  /// - Throws: ``BackendError`` also where the server rolled back instead, since a statement of
  ///   the transaction had failed.
  func commit() throws(BackendError) {
    isCommitting = true
    let status = PQtransactionStatus(handle)
    guard status != PQTRANS_INERROR else {
      throw BackendError(.database, "a statement failed, and the transaction went on")
    }
    try run("COMMIT")
  }

  /// Whether it stands between two transactions, so that another may begin.
  var isIdle: Bool {
    fault != .lost && fault != .silent && PQstatus(handle) == CONNECTION_OK
      && PQtransactionStatus(handle) == PQTRANS_IDLE
  }

  private func prepareSession() throws(BackendError) {
    let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) } ?? ""
    guard encoding == "UTF8" else {
      throw BackendError(
        .database,
        "the PostgreSQL database has the encoding \(encoding); make one with ENCODING 'UTF8'"
      )
    }
    // The server gives up before this side does, and lets go of the locks of an instance that
    // stands still in the middle of a transaction.
    let milliseconds = patience.limit.components.seconds * 1_000
    try runOnce(
      """
      SELECT set_config('statement_timeout', '\(milliseconds * 4 / 5)', false),
        set_config('lock_timeout', '\(milliseconds * 3 / 5)', false),
        set_config('idle_in_transaction_session_timeout', '\(milliseconds)', false)
      """
    )
  }

  private func prepared(_ statement: String) throws(BackendError) -> String {
    if let name = statements[statement] { return name }
    let name = "s\(statements.count + 1)"
    let text = StatementText.numbered(statement)
    _ = try answer(wasSent: PQsendPrepare(handle, name, text, 0, nil) == 1)
    statements[statement] = name
    return name
  }

  /// Waits for the answer to what was sent.
  private func answer(wasSent: Bool) throws(BackendError) -> [SQLRow] {
    // One that is lost is not waited for again, whoever asks.
    guard fault != .lost, fault != .silent else {
      throw BackendError(.database, "the connection to PostgreSQL was lost")
    }
    fault = nil
    guard wasSent else { throw lost(Self.line(PQerrorMessage(handle))) }
    let sent = ContinuousClock.now
    try flush(sent)
    var rows: [SQLRow] = []
    var failure: BackendError?
    while let result = try next(sent) {
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK: rows = Self.rows(of: result)
      case PGRES_COMMAND_OK: break
      default: failure = failure ?? refusal(result)
      }
      changes = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    }
    if let failure { throw failure }
    return rows
  }

  private func flush(_ sent: ContinuousClock.Instant) throws(BackendError) {
    while true {
      switch PQflush(handle) {
      case 0: return
      case 1:
        try wait(for: POLLIN | POLLOUT, sent)
        guard PQconsumeInput(handle) == 1 else { throw lost(Self.line(PQerrorMessage(handle))) }
      default: throw lost(Self.line(PQerrorMessage(handle)))
      }
    }
  }

  private func next(_ sent: ContinuousClock.Instant) throws(BackendError) -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      try wait(for: POLLIN, sent)
      guard PQconsumeInput(handle) == 1 else { throw lost(Self.line(PQerrorMessage(handle))) }
      pulse.heard()
    }
    return PQgetResult(handle)
  }

  /// Waits until the socket is ready, while there is patience.
  private func wait(for events: Int32, _ sent: ContinuousClock.Instant) throws(BackendError) {
    while true {
      switch patience.verdict(sent: sent, heard: pulse.heardAt, at: .now) {
      case .silent:
        let error = lost("it says nothing")
        fault = .silent
        throw error
      case .tooLong: throw lost("it does not answer")
      case .wait(let until):
        if Deadline(at: until).wait(for: events, on: PQsocket(handle)) { return }
      }
    }
  }

  private func refusal(_ result: OpaquePointer) -> BackendError {
    func field(_ code: Int) -> String { Self.line(PQresultErrorField(result, Int32(code))) }
    let state = field(cpostgresql_sqlstate)
    fault = PQstatus(handle) == CONNECTION_OK ? PostgreSQLFault(sqlState: state) : .lost
    // The primary message only: details quote values.
    return BackendError(
      .database,
      "PostgreSQL failed: \(field(cpostgresql_message)) (\(state))"
    )
  }

  private func lost(_ reason: String) -> BackendError {
    fault = .lost
    return BackendError(.database, "the connection to PostgreSQL was lost: \(reason)")
  }

  private static func parameter(_ value: SQLValue) -> String? {
    switch value {
    case .null: nil
    case .integer(let integer): String(integer)
    case .text(let text): StatementText.storable(text)
    }
  }

  private static func rows(of result: OpaquePointer) -> [SQLRow] {
    let columns = 0..<PQnfields(result)
    let areNumbers = columns.map { isNumber(PQftype(result, $0)) }
    return (0..<PQntuples(result)).map { row in
      SQLRow(
        values: columns.map { column in
          guard PQgetisnull(result, row, column) == 0 else { return .null }
          let text = String(cString: PQgetvalue(result, row, column))
          if areNumbers[Int(column)], let integer = Int64(text) { return .integer(integer) }
          return .text(StatementText.restored(text))
        }
      )
    }
  }

  /// int8, int2, int4, and numeric, which sums of int8 are.
  private static func isNumber(_ type: Oid) -> Bool { [20, 21, 23, 1700].contains(type) }

  /// An error's text as one line.
  private static func line(_ text: UnsafePointer<CChar>?) -> String {
    guard let text else { return "" }
    return String(cString: text).split { $0.isNewline }
      .map { $0.drop { $0.isWhitespace } }.joined(separator: "; ")
  }

  /// C strings, and a NULL after the last.
  private static func withPointers<Result>(
    _ texts: [String?],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    let copies = texts.map { text in text.flatMap { strdup($0) } }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { UnsafePointer($0) } + [nil]
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
  }
}
