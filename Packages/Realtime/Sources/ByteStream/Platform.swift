// The C library under one name. Each file that calls it imports this group.
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The text of an `errno` value.
func systemMessage(_ code: Int32) -> String {
  // 256 bytes hold the longest message of every C library in use.
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    guard let start = buffer.baseAddress else { return "error \(code)" }
    guard strerror_r(code, start, buffer.count) == 0 else { return "error \(code)" }
    return String(cString: start)
  }
}

/// Starts a thread that runs `body` and ends with it.
func startThread(_ body: @escaping @Sendable () -> Void) {
  let box = Unmanaged.passRetained(ThreadBody(body))
  #if canImport(Darwin)
  var thread: pthread_t?
  let status = pthread_create(&thread, nil, { runThread($0) }, box.toOpaque())
  if status == 0, let thread { pthread_detach(thread) }
  #else
  var thread = pthread_t()
  let status = pthread_create(&thread, nil, { runThread($0) }, box.toOpaque())
  if status == 0 { pthread_detach(thread) }
  #endif
  // Without a thread nothing can ever be answered: a process that has none left is lost.
  precondition(status == 0, "no thread for the event loop: \(systemMessage(status))")
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run() }
  return nil
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
