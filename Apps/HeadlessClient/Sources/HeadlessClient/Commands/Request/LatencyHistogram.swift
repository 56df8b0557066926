/// How long many things took, in bounded memory: counts in buckets that widen with the value.
///
/// Values are whole microseconds. Below 128 each value has a bucket of its own; above, a bucket is
/// at most 1/64 of its values wide, and a quantile is the middle of its bucket: at most 1/128
/// (0.8 %) off. Values beyond ``largest`` (19 hours) count as that. Memory is 16 KiB, however many
/// values there are. Count, least, greatest and mean are exact.
struct LatencyHistogram: Equatable, Sendable {
  /// The greatest value that is told from greater ones.
  static let largest: UInt64 = 1 << 36 - 1
  /// How far a quantile can be off, as a share of the exact one.
  static let precision = 1.0 / 128

  // Two to this power buckets for each doubling.
  private static let resolution = 6
  private static let bucketCount = bucket(of: largest) + 1

  private var buckets = [UInt64](repeating: 0, count: LatencyHistogram.bucketCount)
  /// How many values there are.
  private(set) var count: UInt64 = 0
  /// The least value; nil where there is none.
  private(set) var least: UInt64?
  /// The greatest value; nil where there is none.
  private(set) var greatest: UInt64?
  private var sum = 0.0

  /// The mean; nil where there is no value.
  var mean: Double? { count > 0 ? sum / Double(count) : nil }

  /// Takes a value.
  mutating func record(_ value: UInt64) {
    let value = min(value, LatencyHistogram.largest)
    buckets[LatencyHistogram.bucket(of: value)] += 1
    count += 1
    sum += Double(value)
    least = min(least ?? value, value)
    greatest = max(greatest ?? value, value)
  }

  /// Takes a time; a negative one counts as none.
  mutating func record(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return record(0) }
    let whole = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
    guard !whole.overflow else { return record(LatencyHistogram.largest) }
    record(
      min(whole.partialValue, LatencyHistogram.largest) + UInt64(attoseconds / 1_000_000_000_000)
    )
  }

  /// The value that a share of all values does not exceed (nearest rank).
  ///
  /// - Parameter share: 0 to 1, as 0.99 for the 99th percentile.
  /// - Returns: the middle of the bucket it is in, within least and greatest; nil where there is
  ///   no value.
  func quantile(_ share: Double) -> UInt64? {
    guard let least, let greatest else { return nil }
    let rank = min(max(UInt64((share * Double(count)).rounded(.up)), 1), count)
    var seen: UInt64 = 0
    for (index, number) in buckets.enumerated() where number > 0 {
      seen += number
      guard seen < rank else {
        return min(max(LatencyHistogram.middle(of: index), least), greatest)
      }
    }
    return greatest
  }

  /// The values in a few rows, as people read them: each from one bound to the next, in steps of
  /// 1, 2 and 5, without the empty rows at both ends.
  ///
  /// A value near a bound may count in the row beside it, by the histogram's precision.
  var rows: [Row] {
    guard let least, let greatest else { return [] }
    var rows: [Row] = []
    var from: UInt64 = 0
    for to in LatencyHistogram.bounds {
      rows.append(Row(from: from, to: to, count: 0))
      from = to
      if to > greatest { break }
    }
    for (index, number) in buckets.enumerated() where number > 0 {
      let value = min(max(LatencyHistogram.middle(of: index), least), greatest)
      guard let row = rows.firstIndex(where: { value < $0.to }) else { continue }
      rows[row].count += number
    }
    let used = rows.indices.filter { rows[$0].count > 0 }
    guard let first = used.first, let last = used.last else { return [] }
    return Array(rows[first...last])
  }

  /// How many values lie between two bounds, in microseconds.
  struct Row: Equatable, Sendable {
    /// The least value that counts here.
    let from: UInt64
    /// The least value that does not any more.
    let to: UInt64
    /// How many there are.
    var count: UInt64
  }

  private static let bounds: [UInt64] = {
    var bounds: [UInt64] = []
    var decade: UInt64 = 100
    while decade <= 10 * largest {
      bounds += [decade, 2 * decade, 5 * decade]
      decade *= 10
    }
    return bounds
  }()

  private static func bucket(of value: UInt64) -> Int {
    let shift = max(0, 63 - value.leadingZeroBitCount - resolution)
    return shift << resolution + Int(value >> UInt64(shift))
  }

  private static func middle(of bucket: Int) -> UInt64 {
    let shift = max(0, bucket >> resolution - 1)
    let low = UInt64(bucket - shift << resolution) << UInt64(shift)
    return low + (1 << UInt64(shift) - 1) / 2
  }
}
