/// Writes, each beside one of the disk itself, so that both see the same disk.
package enum DurableWrites {
  /// Samples of the work, and of the disk, in microseconds.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - disk: The reference; nil where none is wanted.
  ///   - prepare: Makes what is written, before the clock runs.
  ///   - write: The work.
  /// - Returns: Both, the work's first.
  /// - Throws: what `write` throws.
  package static func measure<Input>(
    _ count: Int,
    beside disk: DiskReference?,
    prepare: (Int) -> Input,
    _ write: (Input) async throws -> Void
  ) async throws -> (work: Samples, disk: Samples) {
    var (work, reference) = ([Double](), [Double]())
    for index in 0..<count {
      let input = prepare(index)
      let start = Clock.now()
      disk?.write(index)
      let middle = Clock.now()
      try await write(input)
      let end = Clock.now()
      reference.append(Double(middle - start) / 1e3)
      work.append(Double(end - middle) / 1e3)
    }
    return (Samples(work), Samples(reference))
  }
}
