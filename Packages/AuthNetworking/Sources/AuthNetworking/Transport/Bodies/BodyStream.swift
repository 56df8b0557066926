internal import Synchronization

/// A body that comes from the caller's code while it is sent.
final class BodyStream: Sendable {
  let length: Int64?
  let isReplayable: Bool
  private let pump: @Sendable (BodyPipe) async -> Void
  private let isSpent = Atomic(false)

  init(length: Int64?, isReplayable: Bool, pump: @escaping @Sendable (BodyPipe) async -> Void) {
    self.length = length
    self.isReplayable = isReplayable
    self.pump = pump
  }

  /// Begins to pour it into a pipe; ended by closing the pipe and cancelling the task.
  func start(_ pipe: BodyPipe) -> Task<Void, Never> {
    Task.detached { [self] in
      if !isReplayable, isSpent.exchange(true, ordering: .acquiringAndReleasing) {
        pipe.end(.failure(BodyStream.spent))
      } else {
        await pump(pipe)
      }
    }
  }

  /// The error of a body that is asked for twice, and can be given once.
  static let spent = TransportError(
    .body,
    "The body is a stream that can be read once, and cannot be sent again: make the request again"
  )
}
