import Dispatch
import Testing

@testable import AuthNetworking

struct StateBroadcasterTests {
  /// Whoever cancels a task holds that task's lock meanwhile, and whoever hands out a state may wait
  /// for it.
  @Test func `a reader is cancelled while a state is handed out, and neither waits for ever`() async
  {
    let broadcaster = StateBroadcaster()
    let (reading, delivering, release, cancelled) = (Signal(), Signal(), Signal(), Signal())
    let states = broadcaster.stream { nil }
    let reader = Task { for await _ in states { reading.give() } }
    await reading.came()
    DispatchQueue.global().async {
      broadcaster.deliver {
        delivering.give()
        release.wait()
        return nil
      }
    }
    await delivering.came()
    DispatchQueue.global().async {
      reader.cancel()
      cancelled.give()
    }
    #expect(await cancelled.came())
    release.give()
    await reader.value
  }

  /// For threads that may block; a test waits for one elsewhere than in Swift's pool.
  private struct Signal {
    private let semaphore = DispatchSemaphore(value: 0)

    func give() { semaphore.signal() }

    /// Waits for it, for a minute at most.
    @discardableResult
    func wait() -> Bool { semaphore.wait(timeout: .now() + 60) == .success }

    @discardableResult
    func came() async -> Bool {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: wait()) }
      }
    }
  }
}
