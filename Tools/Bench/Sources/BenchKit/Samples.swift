/// How long something took, many times.
package struct Samples: Sendable {
  private let sorted: [Double]

  /// Samples from their values.
  package init(_ values: [Double]) { sorted = values.sorted() }

  /// What so many of a hundred samples stay within (nearest rank).
  package func percentile(_ percent: Int) -> Double {
    guard !sorted.isEmpty else { return .nan }
    let rank = (sorted.count * percent + 99) / 100
    return sorted[max(0, min(sorted.count, rank) - 1)]
  }

  /// Times a call again and again.
  ///
  /// - Parameters:
  ///   - count: How many samples.
  ///   - batch: How many calls make one sample: for calls that take no longer than asking for
  ///     the time does.
  ///   - unit: How many nanoseconds the unit has.
  ///   - body: Gets the number of the call.
  /// - Returns: What one call took, in units.
  package static func timing(
    _ count: Int,
    batch: Int = 1,
    unit: Double = 1,
    _ body: (Int) throws -> Void
  ) rethrows -> Samples {
    var values: [Double] = []
    values.reserveCapacity(count)
    for sample in 0..<count {
      let start = Clock.now()
      for call in 0..<batch { try body(sample * batch + call) }
      values.append(Double(Clock.now() - start) / Double(batch) / unit)
    }
    return Samples(values)
  }
}
