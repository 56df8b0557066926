internal import Synchronization

/// Random nonces, drawn many at once: each draw is a system call.
final class NonceSource: Sendable {
  private static let stock = 1024

  private struct State {
    var bytes: [UInt8] = []
    var used = 0
  }

  private let state = Mutex(State())
  private let random: RandomSource

  init(_ random: RandomSource) { self.random = random }

  /// Fills memory with bytes that nobody gets again.
  func fill(_ nonce: UnsafeMutableRawBufferPointer) {
    state.withLock { state in
      if state.bytes.count - state.used < nonce.count {
        // What is left of the stock comes first, so that no byte is left out.
        state.bytes =
          state.bytes.suffix(state.bytes.count - state.used) + random.bytes(NonceSource.stock)
        state.used = 0
      }
      nonce.copyBytes(from: state.bytes[state.used..<state.used + nonce.count])
      state.used += nonce.count
    }
  }
}
