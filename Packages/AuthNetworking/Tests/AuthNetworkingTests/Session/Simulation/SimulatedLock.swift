import AuthNetworking
import AuthNetworkingTesting
import Synchronization

/// One process's way to the lock, which goes back when the process dies.
final class SimulatedLock: RefreshLock {
  private let lock: InMemoryRefreshLock
  private let life: ProcessLife
  private let held = Mutex<[Held]>([])

  /// Knows whether it was given back.
  private final class Held: HeldRefreshLock {
    private let lock: any HeldRefreshLock
    private let released = Atomic(false)

    init(_ lock: any HeldRefreshLock) { self.lock = lock }

    var isReleased: Bool { released.load(ordering: .acquiring) }

    func release() {
      released.store(true, ordering: .releasing)
      lock.release()
    }
  }

  init(_ lock: InMemoryRefreshLock, _ life: ProcessLife) {
    self.lock = lock
    self.life = life
  }

  func acquire(timeout: Duration) async throws(RefreshLockError) -> any HeldRefreshLock {
    guard life.isAlive else { throw RefreshLockError(.unusable, "The process is dead") }
    let taken = try await lock.acquire(timeout: timeout)
    guard life.isAlive else {
      taken.release()
      throw RefreshLockError(.unusable, "The process is dead")
    }
    let mine = Held(taken)
    held.withLock { $0.append(mine) }
    return mine
  }

  /// Whether this process has it.
  var isHeld: Bool { held.withLock { $0.contains { !$0.isReleased } } }

  func releaseAll() {
    let all = held.withLock { held in
      defer { held = [] }
      return held
    }
    for lock in all { lock.release() }
  }
}
