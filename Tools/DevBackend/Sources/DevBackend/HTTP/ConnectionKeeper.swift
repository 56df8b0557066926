internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Android)
internal import Android
#else
internal import Glibc
#endif

/// Keeps the HTTP connections within ``ConnectionTable``'s limits.
final class ConnectionKeeper: Sendable {
  /// So often it looks for connections that are overdue, and tells of those that it refused.
  private static let period: Duration = .seconds(1)

  private struct State {
    var table: ConnectionTable
    var sockets: [ConnectionTable.ID: Int32] = [:]
    var refused = 0
  }

  private let state: Mutex<State>
  private let log: RequestLog
  private let timer = RepeatingTimer()

  init(_ table: ConnectionTable, log: RequestLog) {
    state = Mutex(State(table: table))
    self.log = log
    timer.start(every: Self.period) { [weak self] in self?.look() }
  }

  func stop() { timer.stop() }

  /// Whether a connection from an address is let in.
  func admits(_ address: PeerAddress?) -> Bool {
    state.withLock { state in
      if state.table.admits(address?.network) { return true }
      state.refused += 1
      return false
    }
  }

  func opened(_ id: ConnectionTable.ID, from address: PeerAddress?, socket: Int32) {
    state.withLock { state in
      state.table.opened(id, from: address?.network, at: .now)
      state.sockets[id] = socket
    }
  }

  func headBegan(_ id: ConnectionTable.ID) {
    state.withLock { $0.table.headBegan(id, at: .now) }
  }

  func headEnded(_ id: ConnectionTable.ID) { state.withLock { $0.table.headEnded(id) } }

  /// A connection is over; its socket is closed after this only.
  func closed(_ id: ConnectionTable.ID) {
    state.withLock { state in
      state.table.closed(id)
      state.sockets[id] = nil
    }
  }

  private func look() {
    let (cut, refused) = state.withLock { state in
      let overdue = state.table.overdue(at: .now)
      for id in overdue {
        // Under the lock: until `closed` has it the number is no other's. Its thread then finds
        // the end of the stream, and closes it.
        if let socket = state.sockets[id] { shutdown(socket, Int32(SHUT_RDWR)) }
        state.table.headEnded(id)
      }
      defer { state.refused = 0 }
      return (overdue.count, state.refused)
    }
    if cut > 0 { log("connection.cut", level: .warning, ["count": String(cut)]) }
    if refused > 0 { log("connection.refused", level: .warning, ["count": String(refused)]) }
  }
}
