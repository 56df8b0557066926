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
    if let row = first.row, let value = try open(row) { return .sound(value) }
    let second = try copy(name.copy)
    if let row = second.row, let value = try open(row) { return .sound(value) }
    if let damage = first.damage ?? second.damage { throw damage }
    return first.row == nil && second.row == nil ? .missing : .bad
  }

  /// The copies that there are of a row.
  func copies(_ name: RowName) throws(StorageError) -> [[UInt8]] {
    let (first, second) = (try copy(name), try copy(name.copy))
    var rows: [[UInt8]] = []
    if let row = first.row { rows.append(row) }
    if let row = second.row { rows.append(row) }
    if rows.isEmpty, let damage = first.damage ?? second.damage { throw damage }
    return rows
  }

  /// Whether both copies are there and the same, which is how they are written.
  func isWhole(_ name: RowName) throws(StorageError) -> Bool {
    guard let first = try copy(name).row, let second = try copy(name.copy).row else { return false }
    return first == second
  }

  /// A row, or the damage that hides it; other failures are thrown.
  private func copy(
    _ name: RowName
  ) throws(StorageError) -> (row: [UInt8]?, damage: StorageError?) {
    do throws(StorageError) {
      return (try row(name), nil)
    } catch {
      guard error.code == .damaged else { throw error }
      return (nil, error)
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
