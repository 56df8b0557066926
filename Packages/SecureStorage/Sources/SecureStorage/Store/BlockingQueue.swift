internal import Dispatch

/// A thread of a store's own, one job at a time: blocking calls stay off Swift's thread pool.
struct BlockingQueue: Sendable {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func run<Result: Sendable>(
    _ job: @escaping @Sendable () throws(StorageError) -> Result
  ) async throws(StorageError) -> Result {
    let answer = Answer<Result>()
    // Unchecked, for what comes below resumes it once, whatever the job does.
    await withUnsafeContinuation { continuation in
      queue.async {
        answer.take(job)
        continuation.resume()
      }
    }
    return try answer.get()
  }

  /// Runs a job on the calling thread, which waits for its turn.
  func runHere<Result>(
    _ job: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let answer = Answer<Result>()
    queue.sync { answer.take(job) }
    return try answer.get()
  }
}
