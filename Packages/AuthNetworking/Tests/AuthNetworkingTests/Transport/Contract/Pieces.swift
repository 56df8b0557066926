import Synchronization

/// A body in pieces, each of which may wait for a test.
struct Pieces: AsyncSequence, Sendable {
  let pieces: [[UInt8]]
  /// Awaited before each piece, and before the end, by its number.
  var before: @Sendable (Int) async throws -> Void = { _ in }

  struct Iterator: AsyncIteratorProtocol {
    let pieces: Pieces
    var index = 0

    mutating func next() async throws -> [UInt8]? {
      try await pieces.before(index)
      guard index < pieces.pieces.count else { return nil }
      defer { index += 1 }
      return pieces.pieces[index]
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(pieces: self) }
}

/// Bytes that are not all alike.
func pattern(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
}
