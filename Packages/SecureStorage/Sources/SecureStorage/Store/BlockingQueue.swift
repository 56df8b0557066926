internal import Dispatch

/// A thread of a store's own, one job at a time: blocking calls stay off Swift's thread pool.
struct BlockingQueue: Sendable {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func run<Result: Sendable>(
    _ job: @escaping @Sendable () throws(StorageError) -> Result
  ) async throws(StorageError) -> Result {
    let result = await withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(
          returning: Swift.Result { () throws(StorageError) in try job() }
        )
      }
    }
    return try result.get()
  }
}
