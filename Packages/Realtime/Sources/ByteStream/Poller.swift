/// The system's way to wait for many descriptors; every call may come from any thread.
protocol Poller: Sendable {
  /// Watches a descriptor; `token` comes back with its readiness.
  func add(_ descriptor: Int32, _ interest: Readiness, token: UInt64)

  func change(_ descriptor: Int32, _ interest: Readiness, token: UInt64)

  func remove(_ descriptor: Int32)

  /// Waits for readiness, a ``wake()``, or the end of `milliseconds`; -1 waits for ever. Called
  /// by the loop's thread only.
  func wait(milliseconds: Int32, _ body: (UInt64, Readiness) -> Void)

  /// Ends the present or the next ``wait(milliseconds:_:)``.
  func wake()

  func close()
}
