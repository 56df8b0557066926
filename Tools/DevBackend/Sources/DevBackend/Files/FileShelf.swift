internal import Synchronization

/// Files that users put down to try uploads and downloads: in memory, until the backend ends.
final class FileShelf: Sendable {
  /// One file.
  struct File: Equatable, Sendable {
    let bytes: [UInt8]
    let type: String
  }

  /// Where a file lies.
  struct Place: Hashable, Sendable {
    let user: String
    let name: String
  }

  private struct State {
    var files: [Place: File] = [:]
    /// The files put down longest ago stand first.
    var order: [Place] = []
    var size = 0

    mutating func remove(_ place: Place) -> File? {
      guard let file = files.removeValue(forKey: place) else { return nil }
      order.removeAll { $0 == place }
      size -= file.bytes.count
      return file
    }
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let maximumCount: Int

  /// A shelf that forgets the oldest files when it is full.
  init(capacity: Int = 64 << 20, maximumCount: Int = 1_000) {
    (self.capacity, self.maximumCount) = (capacity, maximumCount)
  }

  /// Puts a file down, in place of one that lay there.
  ///
  /// - Returns: whether there was none.
  func put(_ file: File, at place: Place) -> Bool {
    state.withLock { state in
      let isNew = state.remove(place) == nil
      state.files[place] = file
      state.order.append(place)
      state.size += file.bytes.count
      while state.order.count > 1, state.size > capacity || state.order.count > maximumCount {
        _ = state.remove(state.order[0])
      }
      return isNew
    }
  }

  func file(at place: Place) -> File? { state.withLock { $0.files[place] } }

  /// Takes a file away; false where there is none.
  func remove(_ place: Place) -> Bool { state.withLock { $0.remove(place) != nil } }

  /// A user's files, by name.
  func files(of user: String) -> [(name: String, file: File)] {
    state.withLock { state in
      state.files.filter { $0.key.user == user }.map { ($0.key.name, $0.value) }
    }.sorted { $0.0 < $1.0 }
  }
}
