#if TPM2 && os(Linux)
internal import Glibc

/// Keeps SIGPIPE from this thread: tss2 writes to a TPM that has gone as to any pipe, and would end
/// the process.
enum SignalsBlocked {
  static func run<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    var (pipe, before, pending) = (sigset_t(), sigset_t(), sigset_t())
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    sigpending(&pending)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer {
      if sigismember(&pending, SIGPIPE) == 0 {
        var now = timespec()
        while sigtimedwait(&pipe, nil, &now) == SIGPIPE {}
      }
      pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    return try body()
  }
}
#endif
