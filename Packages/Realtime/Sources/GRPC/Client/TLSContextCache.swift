internal import ByteStream
internal import Dispatch
internal import Synchronization

/// The TLS context of a channel, made at the first connection, for that reads files.
final class TLSContextCache: Sendable {
  private let configuration: TLSClientConfiguration?
  private let context = Mutex<TLSContext?>(nil)

  init(_ configuration: TLSClientConfiguration?) { self.configuration = configuration }

  /// The context; nil for a channel without TLS.
  func context() async throws(ByteStreamError) -> TLSContext? {
    guard let configuration else { return nil }
    if let context = context.withLock({ $0 }) { return context }
    let made: Result<TLSContext, ByteStreamError> = await withCheckedContinuation { done in
      DispatchQueue.global().async {
        done.resume(
          returning: Result { () throws(ByteStreamError) in
            try TLSContext(client: configuration)
          }
        )
      }
    }
    let context = try made.get()
    self.context.withLock { $0 = context }
    return context
  }
}
