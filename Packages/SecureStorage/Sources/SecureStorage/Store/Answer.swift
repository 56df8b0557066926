/// The way of a result from a thread that works to the one that waits for it.
///
/// `Result` would do; but looking up that its failure is an error, at run time, is a good part of
/// what opening a store takes.
// `@unchecked` holds because it is written once, before the other thread is told that it may read.
final class Answer<Value>: @unchecked Sendable {
  private var value: Value?
  private var failure: StorageError?

  /// Runs a job and keeps what comes of it.
  func take(_ job: () throws(StorageError) -> Value) {
    do throws(StorageError) {
      value = try job()
    } catch {
      failure = error
    }
  }

  /// What came of the job, which is done.
  func get() throws(StorageError) -> Value {
    if let failure { throw failure }
    guard let value else { preconditionFailure("asked for before it was there") }
    return value
  }
}
