import AuthNetworking
import BenchKit
import CAllocations

/// `token()` while the token is fresh.
struct TokenBench: StoreBench {
  let measures = ["http.token", "http.allocations"]
  private let options: Options
  private let stores: BenchStores

  private static let batch = 32

  init(_ options: Options, _ scratch: ScratchDirectory) {
    self.options = options
    stores = BenchStores(options: options, scratch: scratch)
  }

  func run() async throws {
    Output.progress("http.token, http.allocations")
    let loopback = try Loopback(stores)
    let session = try await loopback.session(expiresIn: 86_400)
    var times: [Double] = []
    times.reserveCapacity(20_000)
    var allocations: UInt64 = 0
    for _ in 0..<20_000 {
      let before = callocations_count()
      let start = Clock.now()
      for _ in 0..<TokenBench.batch { _ = try await session.token() }
      times.append(Double(Clock.now() - start) / Double(TokenBench.batch))
      allocations += callocations_count() - before
    }
    try loopback.close()
    if options.includes("http.token") {
      try Output.print(
        Measurement(
          "http.token",
          of: "AuthNetworking",
          samples: Samples(times),
          unit: "ns",
          targets: [.atMost(100, .p50)]
        )
      )
    }
    if options.includes("http.allocations") {
      try Output.print(
        Measurement(
          "http.allocations",
          of: "AuthNetworking",
          value: Double(allocations) / Double(20_000 * TokenBench.batch),
          unit: "a call",
          // What the process does beside, once in a while, is not the call's.
          targets: [.atMost(0.001, .value)]
        )
      )
    }
  }
}
