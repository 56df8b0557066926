/// What was found of a row of which there are two copies.
enum Copies<Value> {
  /// What the first good copy says.
  case sound(Value)
  case missing
  /// There is at least one, and none of them is good.
  case bad
}

extension StorageReader {
  /// Reads the first good one of a row's two copies.
  ///
  /// - Parameters:
  ///   - name: The name of the first copy.
  ///   - open: Opens a copy; nil for one that is no good. What it throws ends the search.
  /// - Returns: What `open` made of it.
  /// - Throws: `damaged` where the file's structure hides both, and what `open` throws.
  func sound<Value>(
    _ name: RowName,
    _ open: ([UInt8]) throws(StorageError) -> Value?
  ) throws(StorageError) -> Copies<Value> {
    let first = try copy(name)
    if let row = try? first.get(), let value = try open(row) { return .sound(value) }
    let second = try copy(name.copy)
    if let row = try? second.get(), let value = try open(row) { return .sound(value) }
    if try first.get() != nil { return .bad }
    return try second.get() == nil ? .missing : .bad
  }

  /// The copies that there are of a row.
  func copies(_ name: RowName) throws(StorageError) -> [[UInt8]] {
    let (first, second) = (try copy(name), try copy(name.copy))
    let rows = [try? first.get(), try? second.get()].compactMap { $0 }
    if rows.isEmpty {
      _ = try first.get()
      _ = try second.get()
    }
    return rows
  }

  /// Whether both copies are there and the same, which is how they are written.
  func isWhole(_ name: RowName) throws(StorageError) -> Bool {
    let (first, second) = (try copy(name), try copy(name.copy))
    guard let first = try? first.get(), let second = try? second.get() else { return false }
    return first == second
  }

  /// A row, or the damage that hides it; other failures are thrown.
  private func copy(_ name: RowName) throws(StorageError) -> Result<[UInt8]?, StorageError> {
    do throws(StorageError) {
      return .success(try row(name))
    } catch {
      guard error.code == .damaged else { throw error }
      return .failure(error)
    }
  }
}

extension StorageWriter {
  /// Puts a row and its second copy.
  func putTwice(_ name: RowName, _ bytes: [UInt8]) throws(StorageError) {
    try put(name, bytes)
    try put(name.copy, bytes)
  }

  /// Removes a row and its second copy.
  func removeBoth(_ name: RowName) throws(StorageError) {
    try remove(name)
    try remove(name.copy)
  }
}
