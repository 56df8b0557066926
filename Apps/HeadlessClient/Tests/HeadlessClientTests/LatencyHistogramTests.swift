import SessionModelsTesting
import Testing

@testable import HeadlessClient

struct LatencyHistogramTests {
  /// Values as they occur: all alike, spread over every magnitude, two far apart, long tails.
  enum Shape: CaseIterable {
    case equal, uniform, magnitudes, twoPeaks, longTail

    func values(_ count: Int, _ random: inout some RandomNumberGenerator) -> [UInt64] {
      (0..<count).map { _ in
        switch self {
        case .equal: 4711
        case .uniform: .random(in: 0...5_000_000, using: &random)
        case .magnitudes:
          .random(in: 0..<(1 << UInt64.random(in: 1...36, using: &random)), using: &random)
        case .twoPeaks:
          .random(in: 0..<10, using: &random) == 0
            ? .random(in: 900_000...1_000_000, using: &random)
            : .random(in: 900...1000, using: &random)
        case .longTail: 1000 << UInt64.random(in: 0...20, using: &random)
        }
      }
    }
  }

  @Test(arguments: Shape.allCases)
  func `A quantile is at most 1 in 128 off the exact one, least and greatest are exact`(
    shape: Shape
  ) throws {
    var random = SystemRandomNumberGenerator()
    for count in [1, 2, 3, 10, 99, 100, 1000, 20_000] {
      let values = shape.values(count, &random)
      var histogram = LatencyHistogram()
      for value in values { histogram.record(value) }
      let sorted = values.sorted()
      #expect(histogram.count == UInt64(count))
      #expect(histogram.least == sorted.first)
      #expect(histogram.greatest == sorted.last)
      let mean = try #require(histogram.mean)
      let exactMean = sorted.reduce(0.0) { $0 + Double($1) } / Double(count)
      #expect(abs(mean - exactMean) <= exactMean * 1e-9)
      for share in [0.0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1] {
        let rank = max(Int((share * Double(count)).rounded(.up)), 1)
        let exact = Double(sorted[rank - 1])
        let found = Double(try #require(histogram.quantile(share)))
        #expect(
          abs(found - exact) <= exact * LatencyHistogram.precision,
          "p\(share * 100) of \(count) \(shape): \(found) for \(exact)"
        )
      }
      #expect(histogram.rows.reduce(0) { $0 + $1.count } == UInt64(count))
    }
  }

  @Test func `Small values are exact, and each bucket follows the one before`() {
    for value in 0..<128 as Range<UInt64> {
      var histogram = LatencyHistogram()
      histogram.record(value)
      histogram.record(1000)
      #expect(histogram.quantile(0.5) == value)
    }
  }

  @Test func `Nothing has no quantile, and what is beyond the greatest counts as that`() {
    var histogram = LatencyHistogram()
    #expect(histogram.quantile(0.5) == nil)
    #expect(histogram.rows.isEmpty)
    #expect(histogram.mean == nil)
    histogram.record(.max)
    histogram.record(.seconds(Int64.max))
    #expect(histogram.greatest == LatencyHistogram.largest)
    #expect(histogram.quantile(1) == LatencyHistogram.largest)
    histogram.record(.seconds(-1))
    #expect(histogram.least == 0)
  }

  @Test func `A time is counted in whole microseconds`() {
    var histogram = LatencyHistogram()
    histogram.record(.nanoseconds(1_234_567_890))
    #expect(histogram.least == 1_234_567)
  }

  @Test func `Rows go from the first to the last that has values, with the empty ones between`() {
    var histogram = LatencyHistogram()
    for value in [350, 400, 6000] as [UInt64] { histogram.record(value) }
    #expect(histogram.rows.map(\.from) == [200, 500, 1000, 2000, 5000])
    #expect(histogram.rows.map(\.to) == [500, 1000, 2000, 5000, 10_000])
    #expect(histogram.rows.map(\.count) == [2, 0, 0, 0, 1])
  }
}
