internal import Foundation
internal import Synchronization

/// Many clients that refresh again and again on several instances, whatever becomes of those.
///
/// Each client keeps its rules: an attempt that got no answer, or a 503, is made again with the
/// same `X-Request-Id`, at the other instance. Meanwhile sessions are revoked, and their access
/// tokens tried at every instance from a second later on.
public struct RefreshLoad: Sendable {
  /// What came of it.
  public struct Report: Sendable {
    /// Refreshes that gave a pair.
    public var refreshes = 0
    /// How often an attempt had to be made again.
    public var retries = 0
    /// Clients that were told to sign in again: none should be.
    public var signedOut = 0
    /// Spent tokens that gave a second pair to another attempt: none should.
    public var acceptedTwice = 0
    /// How often a spent token was tried.
    public var spentTried = 0
    /// Revoked tokens that were accepted a second after their revocation or later: none should.
    public var acceptedRevoked = 0
    /// How often a revoked token was tried.
    public var revokedTried = 0
    /// Sessions that were revoked.
    public var revocations = 0
    /// What one refresh took, retries included, in milliseconds.
    public var milliseconds: [Double] = []
    /// How long all took, in seconds.
    public var seconds = 0.0
    /// What was unexpected, if anything was.
    public var surprises: Set<String> = []

    mutating func add(_ other: Report) {
      refreshes += other.refreshes
      retries += other.retries
      signedOut += other.signedOut
      acceptedTwice += other.acceptedTwice
      spentTried += other.spentTried
      acceptedRevoked += other.acceptedRevoked
      revokedTried += other.revokedTried
      revocations += other.revocations
      milliseconds += other.milliseconds
      surprises.formUnion(other.surprises)
    }
  }

  /// The HTTP ports of the instances.
  public var ports: [UInt16]
  /// How many clients refresh.
  public var clients: Int
  /// How many refreshes they make together.
  public var refreshes: Int
  /// How many sessions are revoked meanwhile, one after the other.
  public var revocations: Int

  /// A load from its size.
  public init(ports: [UInt16], clients: Int, refreshes: Int, revocations: Int) {
    (self.ports, self.clients, self.refreshes) = (ports, clients, refreshes)
    self.revocations = revocations
  }

  /// Signs the clients in, runs all of it, and tells what came of it; blocks.
  ///
  /// - Parameter begun: called when the clients are signed in and the load begins.
  /// - Returns: the sum over all clients.
  /// - Throws: where a client cannot sign in.
  public func run(begun: () -> Void = {}) throws -> Report {
    let name = "load\(UInt32.random(in: 0...(.max)))"
    let sessions = try Self.parallel(clients) { number in
      try LoadClient(number, name: name, ports: ports)
    }
    let victims = try Self.parallel(revocations) { number in
      try LoadClient(clients + number, name: name, ports: ports)
    }
    begun()
    let start = ContinuousClock.now
    let share = (refreshes + clients - 1) / max(1, clients)
    let total = Mutex(Report())
    Self.threads(clients + 1) { number in
      if number < sessions.count {
        let report = sessions[number].refresh(share)
        total.withLock { $0.add(report) }
      } else {
        for victim in victims {
          let report = victim.revokeAndTry()
          total.withLock { $0.add(report) }
        }
      }
    }
    return total.withLock { report in
      report.seconds = start.duration(to: .now).inMilliseconds / 1e3
      return report
    }
  }

  /// Runs a body on so many threads, and returns when each has ended.
  static func threads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      let thread = Thread {
        body(number)
        group.leave()
      }
      thread.stackSize = 1 << 19
      thread.start()
    }
    group.wait()
  }

  /// Makes many at once, eight at a time: signing in is work for the server.
  private static func parallel(
    _ count: Int,
    _ make: @escaping @Sendable (Int) throws -> LoadClient
  ) throws -> [LoadClient] {
    let results = Mutex<[Int: Result<LoadClient, any Error>]>([:])
    let next = Atomic(0)
    threads(min(8, count)) { _ in
      while case let number = next.add(1, ordering: .relaxed).oldValue, number < count {
        let result = Result { try make(number) }
        results.withLock { $0[number] = result }
      }
    }
    return try results.withLock { results in
      try (0..<count).compactMap { try results[$0]?.get() }
    }
  }
}
