internal import Synchronization

/// How many connections one address may have at a listener at once.
///
/// Of IPv6 a network of 64 bits counts as one address. A connection counts from its acceptance to
/// its end, also while it agrees on TLS.
public final class ConnectionLimit: Sendable {
  /// So many connections an address may have.
  public let perAddress: Int

  private let counts = Mutex<[PeerNetwork: Int]>([:])

  /// A limit that nothing counts against yet.
  ///
  /// - Parameter perAddress: at least one.
  public init(perAddress: Int) { self.perAddress = max(1, perAddress) }

  /// One connection's place, which it gives back when it goes.
  final class Place: Sendable {
    private let limit: ConnectionLimit
    private let network: PeerNetwork

    fileprivate init(_ limit: ConnectionLimit, _ network: PeerNetwork) {
      (self.limit, self.network) = (limit, network)
    }

    deinit { limit.giveBack(network) }
  }

  /// A place for one more connection of a network; nil where it has as many as it may.
  func take(_ network: PeerNetwork) -> Place? {
    counts.withLock { counts in
      let count = counts[network] ?? 0
      guard count < perAddress else { return nil }
      counts[network] = count + 1
      return Place(self, network)
    }
  }

  private func giveBack(_ network: PeerNetwork) {
    counts.withLock { counts in
      let left = (counts[network] ?? 0) - 1
      counts[network] = left > 0 ? left : nil
    }
  }
}
