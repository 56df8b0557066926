import Dispatch
import Testing

@testable import GRPC

struct StateBroadcastTests {
  @Test func `R13: the present state comes first, then each change in order, then the end`() async {
    let broadcast = StateBroadcast(0)
    let states = broadcast.states()
    for state in [1, 2, 2, 3] { broadcast.publish(state) }
    broadcast.finish(4)
    var seen: [Int] = []
    for await state in states { seen.append(state) }
    #expect(seen == [0, 1, 2, 3, 4])
  }

  /// Whoever cancels a task holds that task's lock meanwhile, and whoever publishes may wait for it.
  @Test func `a reader is cancelled while a state is being published, and neither waits for ever`()
    async
  {
    let broadcast = StateBroadcast(0)
    let (reading, publishing, release, cancelled) = (Signal(), Signal(), Signal(), Signal())
    let states = broadcast.states()
    let reader = Task { for await _ in states { reading.give() } }
    await reading.came()
    broadcast.observe { state in
      guard state == 1 else { return }
      publishing.give()
      release.wait()
    }
    DispatchQueue.global().async { broadcast.publish(1) }
    await publishing.came()
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
