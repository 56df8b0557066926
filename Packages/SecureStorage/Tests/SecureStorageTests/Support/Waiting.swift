import Dispatch
import SecureStorage
import Synchronization

/// Runs a task to its end on a thread that may wait: a vault's, never one of Swift's pool.
func waiting(for task: @escaping @Sendable () async -> Void) {
  let done = DispatchSemaphore(value: 0)
  Task {
    await task()
    done.signal()
  }
  done.wait()
}

/// What a task that another one waited for came to.
final class Outcome: Sendable {
  private let failure = Mutex<StorageError?>(nil)

  var code: StorageError.Code? { failure.withLock { $0?.code } }

  func run(_ body: () async throws(StorageError) -> Void) async {
    do throws(StorageError) {
      try await body()
    } catch {
      failure.withLock { $0 = error }
    }
  }
}
