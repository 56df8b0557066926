import BenchKit
import SecureStorage

/// From nothing to the first read, in fresh processes.
struct OpenBench: StoreBench {
  let measures = ["open.time", "open.memory"]
  private let options: Options
  private let stores: BenchStores

  init(_ options: Options, _ scratch: ScratchDirectory) {
    self.options = options
    stores = BenchStores(options: options, scratch: scratch)
  }

  func run() async throws {
    Output.progress("open: \(options.entries) entries, fresh processes")
    let full = try await stores.open("open-full/store")
    try await BenchStores.fill(full, options.entries, bytes: Workload.tokenBytes)
    full.close()
    let empty = try await stores.open("open-empty/store")
    try await BenchStores.fill(empty, 1, bytes: Workload.tokenBytes)
    empty.close()
    let all = try Opening.measure(40, ["child-open", stores.scratch.path("open-full")])
    let none = try Opening.measure(40, ["child-open", stores.scratch.path("open-empty")])
    if options.includes("open.time") {
      let reference = Samples(none.map { $0.processor / 1e6 }).percentile(50)
      try Output.print(
        Measurement(
          "open.time",
          of: BenchStores.name,
          samples: Samples(all.map { $0.processor / 1e6 }),
          unit: "ms",
          reference: Reference("the same with one entry", reference),
          targets: [.atMost(2, .p50)]
        )
      )
    }
    if options.includes("open.memory") {
      let reference = Samples(none.map { $0.memory / 1_048_576 }).percentile(50)
      let samples = Samples(all.map { $0.memory / 1_048_576 - reference })
      try Output.print(
        Measurement(
          "open.memory",
          of: BenchStores.name,
          samples: samples,
          unit: "MiB more",
          targets: [.atMost(2, .p50)]
        )
      )
    }
  }
}
