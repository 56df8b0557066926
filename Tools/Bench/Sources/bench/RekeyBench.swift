import BenchKit
import Foundation
import SecureStorage
import Synchronization

/// A change of the data key, while another thread reads.
struct RekeyBench: StoreBench {
  private static let bytes = 100
  let measures = ["rekey", "rekey.reads"]
  private let options: Options
  private let stores: BenchStores

  init(_ options: Options, _ scratch: ScratchDirectory) {
    self.options = options
    stores = BenchStores(options: options, scratch: scratch)
  }

  func run() async throws {
    Output.progress("rekey: \(options.entries) entries of \(RekeyBench.bytes) bytes")
    let store = try await stores.open("rekey/store")
    try await BenchStores.fill(store, options.entries, bytes: RekeyBench.bytes)
    var rates: [Double] = []
    var latencies: [Double] = []
    for _ in 0..<5 {
      let reader = Reader(store, options.entries)
      let start = Clock.now()
      let count = try await store.rekey()
      rates.append(Double(count) / Double(Clock.now() - start) * 1e9)
      latencies += try await reader.finish()
    }
    if options.includes("rekey") {
      try Output.print(
        Measurement(
          "rekey",
          of: BenchStores.name,
          value: Samples(rates).percentile(50),
          unit: "values/s",
          reference: CipherReference(options.cipher).resealing(RekeyBench.bytes),
          targets: [.atLeast(100_000, .value)]
        )
      )
    }
    if options.includes("rekey.reads") {
      try Output.print(
        Measurement(
          "rekey.reads",
          of: BenchStores.name,
          samples: Samples(latencies),
          unit: "us",
          targets: [.atMost(1_000, .p99)]
        )
      )
    }
  }
}

/// A thread that reads any entry each 100 µs or so: seldom enough that most reads come after
/// another commit.
private final class Reader: Sendable {
  private let isDone = Atomic(false)
  private let latencies = Mutex<Result<[Double], any Error>>(.success([]))
  private let ended = DispatchSemaphore(value: 0)

  init(_ store: SecureStore, _ entries: Int) {
    Thread.detachNewThread { [self] in
      let result = Result { try read(store, entries) }
      latencies.withLock { $0 = result }
      ended.signal()
    }
  }

  private func read(_ store: SecureStore, _ entries: Int) throws -> [Double] {
    var random = SystemRandomNumberGenerator()
    var times: [Double] = []
    while !isDone.load(ordering: .acquiring) {
      let key = Workload.key(Int.random(in: 0..<entries, using: &random))
      let start = Clock.now()
      guard try store.secret(forKey: key) != nil else { throw Failure("\(key) is not there") }
      times.append(Double(Clock.now() - start) / 1e3)
      usleep(50)
    }
    return times
  }

  /// What each read took, in microseconds.
  func finish() async throws -> [Double] {
    isDone.store(true, ordering: .releasing)
    await withCheckedContinuation { done in
      DispatchQueue.global().async { [self] in
        ended.wait()
        done.resume()
      }
    }
    return try latencies.withLock { try $0.get() }
  }
}
