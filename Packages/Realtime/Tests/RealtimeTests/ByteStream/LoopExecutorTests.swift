import Synchronization
import Testing

@testable import ByteStream

@Suite(.timeLimit(.minutes(5))) struct LoopExecutorTests {
  /// The identity of the thread, which a loop keeps for life.
  private static func isOnThread(of loop: EventLoop) async -> Bool {
    let own = currentThread()
    return await withCheckedContinuation { done in
      loop.schedule(at: .now) { done.resume(returning: currentThread() == own) }
    }
  }

  @Test(arguments: EventLoopTests.loops())
  func `a task that prefers the loop runs on its thread, also after it has waited`(
    loop: EventLoop
  ) async {
    defer { loop.stop() }
    await withTaskExecutorPreference(loop) {
      #expect(await Self.isOnThread(of: loop))
      await Task.yield()
      // Resumed from another thread.
      await Task.detached {}.value
      #expect(await Self.isOnThread(of: loop))
    }
  }

  @Test(arguments: EventLoopTests.loops())
  func `tasks that never wait leave descriptors and timers their turn`(loop: EventLoop) async {
    defer { loop.stop() }
    let hasFired = Atomic(false)
    let spinning = Task(executorPreference: loop) {
      var yields = 0
      while !hasFired.load(ordering: .acquiring) {
        yields += 1
        await Task.yield()
      }
      return yields
    }
    loop.schedule(at: .now + .milliseconds(5)) { hasFired.store(true, ordering: .releasing) }
    #expect(await spinning.value > 0)
  }

  @Test(arguments: EventLoopTests.loops())
  func `many tasks from many threads all come to their end`(loop: EventLoop) async {
    defer { loop.stop() }
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 0..<500 {
        group.addTask(executorPreference: loop) {
          await Task.yield()
          return await Task.detached { number }.value
        }
      }
      return await group.reduce(0, +)
    }
    #expect(sum == 500 * 499 / 2)
  }

  @Test(arguments: EventLoopTests.loops())
  func `a loop that is stopped leaves no task behind`(loop: EventLoop) async {
    let tasks = (0..<100).map { number in
      Task(executorPreference: loop) {
        if number == 50 { loop.stop() }
        for _ in 0..<10 { await Task.yield() }
        return number
      }
    }
    for (number, task) in tasks.enumerated() { #expect(await task.value == number) }
    let late = Task(executorPreference: loop) { "late" }
    #expect(await late.value == "late")
  }
}
