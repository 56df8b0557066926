/// Tasks that wait for news, each by a ticket with which it can leave.
struct WaitingReaders {
  typealias Reader = CheckedContinuation<Void, Never>

  private var readers: [UInt64: Reader] = [:]
  private var last: UInt64 = 0

  mutating func newTicket() -> UInt64 {
    last += 1
    return last
  }

  mutating func add(_ reader: Reader, _ ticket: UInt64) { readers[ticket] = reader }

  mutating func remove(_ ticket: UInt64) -> Reader? { readers.removeValue(forKey: ticket) }

  mutating func takeAll() -> [Reader] {
    defer { readers = [:] }
    return Array(readers.values)
  }
}
