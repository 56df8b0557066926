/// Holds tasks until a test opens it, and tells how many have come.
final class Gate: Sendable {
  private let arrivals = Gauge()
  private let openings = Gauge()

  /// Waits until the gate is open.
  func pass() async {
    arrivals.update { $0 += 1 }
    await openings.wait(for: 1)
  }

  /// Opens the gate for good.
  func open() { openings.update { $0 = 1 } }

  /// Returns when so many tasks have arrived.
  func waitForArrivals(_ count: Int = 1) async { await arrivals.wait(for: count) }
}
