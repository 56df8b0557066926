internal import Synchronization

/// One piece of a stream between the task that makes it and the thread that sends it.
///
/// It holds one piece at most, so a slow network holds up the stream and fills no memory.
final class BodyPipe: Sendable {
  private struct State {
    var piece: [UInt8] = []
    var offset = 0
    /// How it ended; nil while more may come.
    var end: Result<Void, TransportError>?
    var isClosed = false
    /// Whether the reader found nothing and wants to be told.
    var isWanted = false
    var producer: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  private let wake: @Sendable () -> Void

  /// A pipe whose reader is woken when there is something again.
  init(whenReady wake: @escaping @Sendable () -> Void) { self.wake = wake }

  // MARK: The stream's side

  /// Takes everything out of a stream, and ends as it does.
  func take<Pieces: AsyncSequence>(
    from make: () async throws -> Pieces
  ) async where Pieces.Element == [UInt8] {
    do {
      for try await piece in try await make() where !piece.isEmpty {
        guard await offer(piece) else { return }
      }
      end(.success(()))
    } catch {
      end(.failure(TransportError(.body, "The body's stream failed: \(type(of: error))")))
    }
  }

  /// Ends the stream.
  func end(_ result: Result<Void, TransportError>) {
    let isWanted = state.withLock { state in
      state.end = result
      defer { state.isWanted = false }
      return state.isWanted
    }
    if isWanted { wake() }
  }

  /// Waits for room, and puts a piece there.
  ///
  /// - Returns: false where nobody reads any more.
  private func offer(_ piece: [UInt8]) async -> Bool {
    await withCheckedContinuation { continuation in
      let hasRoom = state.withLock { state in
        if state.isClosed || state.piece.isEmpty { return true }
        state.producer = continuation
        return false
      }
      if hasRoom { continuation.resume() }
    }
    let (isOpen, isWanted) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.piece = piece
      state.offset = 0
      defer { state.isWanted = false }
      return (true, state.isWanted)
    }
    if isWanted { wake() }
    return isOpen
  }

  // MARK: The network's side

  /// As ``BodyReader/read(into:)``.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int? {
    let (result, producer) = state.withLock {
      state -> (Result<Int?, TransportError>, CheckedContinuation<Void, Never>?) in
      guard state.piece.isEmpty else {
        let part = state.piece[state.offset...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        state.offset += part.count
        guard state.offset == state.piece.count else { return (.success(part.count), nil) }
        state.piece = []
        defer { state.producer = nil }
        return (.success(part.count), state.producer)
      }
      if let end = state.end { return (end.map { 0 }, nil) }
      state.isWanted = true
      return (.success(nil), nil)
    }
    producer?.resume()
    return try result.get()
  }

  /// Nobody reads any more.
  func close() {
    let producer = state.withLock { state in
      state.isClosed = true
      state.piece = []
      defer { state.producer = nil }
      return state.producer
    }
    producer?.resume()
  }
}
