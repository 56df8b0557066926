import AuthNetworking
import AuthNetworkingTesting
import Synchronization

/// One process's way to the lock, which goes back when the process dies.
final class SimulatedLock: RefreshLock {
  private let lock: InMemoryRefreshLock
  private let life: ProcessLife
  private let held = Mutex<[any HeldRefreshLock]>([])

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
    held.withLock { $0.append(taken) }
    return taken
  }

  func releaseAll() {
    let all = held.withLock { held in
      defer { held = [] }
      return held
    }
    for lock in all { lock.release() }
  }
}
