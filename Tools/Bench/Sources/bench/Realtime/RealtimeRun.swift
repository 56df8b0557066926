import BenchKit
import Foundation

/// What one process of a client used.
struct RealtimeRun {
  /// Which client.
  enum Client: CaseIterable {
    /// Ours, its task on the channel's executor.
    case own

    /// Ours, its task in Swift's pool.
    case pooled

    case grpc
  }

  /// The processor time of one message, in microseconds.
  let processor: Double
  /// The median time of one call, in microseconds.
  let median: Double
  /// The most memory that was resident, in MB.
  let peakMemory: Double

  /// - Throws: ``Failure`` when it printed something else.
  init(_ output: Data, count: Int) throws {
    let numbers = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      .compactMap { Double($0) }
    guard numbers.count == 4 else { throw Failure("a client did not say what it used") }
    processor = numbers[0] / 1e3 / Double(count)
    median = numbers[2] / 1e3
    peakMemory = numbers[3] * 1024 / 1e6
  }
}
