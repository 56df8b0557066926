#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// A thread outside Swift's cooperative pool, for work that blocks.
enum DetachedThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs a body on a new thread that takes no signal.
  ///
  /// - Returns: false where the system has no thread left.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let context = Unmanaged.passRetained(Body(body))
    let status = pthread_create(&thread, nil, entry, context.toOpaque())
    guard status == 0 else {
      context.release()
      return false
    }
    #if canImport(Darwin)
    if let thread { pthread_detach(thread) }
    #else
    pthread_detach(thread)
    #endif
    return true
  }

  /// Tells the calling thread from all others that live.
  static var current: UInt {
    #if canImport(Glibc)
    UInt(pthread_self())
    #else
    UInt(bitPattern: pthread_self())
    #endif
  }

  /// Runs a body on a new thread and waits for what it gives; without a free thread, right here.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      if !start({ continuation.resume(returning: body()) }) {
        continuation.resume(returning: body())
      }
    }
  }

  #if canImport(Darwin)
  private static let entry: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
    run($0)
    return nil
  }
  #else
  private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
    {
      if let context = $0 { run(context) }
      return nil
    }
  #endif

  private static func run(_ context: UnsafeMutableRawPointer) {
    // Signals belong to the app's own threads. For SIGPIPE this is also what keeps a write to a
    // closed TLS connection from ending the process.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
  }
}
