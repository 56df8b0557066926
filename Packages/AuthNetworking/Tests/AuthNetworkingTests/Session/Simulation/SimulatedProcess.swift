import AuthNetworking
import SecureStorage
import SessionModels
import Synchronization

/// One process: a controller, whose every way out of the process ends when it is killed.
final class SimulatedProcess: Sendable {
  let number: Int
  let life = ProcessLife()
  /// How often the app came to the front.
  let comebacks = Atomic(0)
  let controller: SessionController
  let lock: SimulatedLock

  init(number: Int, in world: SimulatedWorld) throws {
    self.number = number
    lock = SimulatedLock(world.lock, life)
    var configuration = SessionConfiguration(
      baseURL: try HTTPURL(parsing: SimulatedWorld.baseURL),
      dialect: SkyConnectAPI(),
      deviceID: SimulatedWorld.deviceID,
      clientVersion: "simulation-1.0(1)",
      userAgent: "simulation/1.0 (Linux 6.1)"
    )
    configuration.accessTokenStorage = world.keepsTokenInMemory ? .memory : .stored
    controller = SessionController(
      configuration: configuration,
      storage: SimulatedStore(world, life),
      transport: SimulatedNetwork(world, life),
      lock: lock,
      clock: ProcessClock(clock: world.clock, life: life),
      randomness: SessionRandomness { world.random.withLock { $0.next() } },
      log: { world.log.append($0) }
    )
  }

  /// SIGKILL: the system gives the lock back, and nothing that it started does anything more.
  func kill() {
    life.end()
    lock.releaseAll()
  }
}

/// Whether a process lives.
final class ProcessLife: Sendable {
  private let alive = Atomic(true)

  var isAlive: Bool { alive.load(ordering: .acquiring) }

  func end() { alive.store(false, ordering: .releasing) }
}

/// A process's view of the clocks; a dead one never wakes to anything.
struct ProcessClock: SessionClock {
  let clock: SimulationClock
  let life: ProcessLife

  func monotonic() -> Duration { clock.now }

  func wall() -> Double { clock.wall }

  func sleep(for duration: Duration) async throws {
    try await clock.sleep(for: duration)
    if !life.isAlive { throw CancellationError() }
  }
}
