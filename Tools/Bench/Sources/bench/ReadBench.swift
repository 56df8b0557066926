import BenchKit
import SecureStorage
import SessionModels

/// Reads of one token in a large store, while another process writes.
struct ReadBench: StoreBench {
  let measures = ["read.token", "read.strict"]
  private let options: Options
  private let stores: BenchStores

  init(_ options: Options, _ scratch: ScratchDirectory) {
    self.options = options
    stores = BenchStores(options: options, scratch: scratch)
  }

  func run() async throws {
    Output.progress("read: \(options.entries) entries of \(Workload.tokenBytes) bytes")
    let store = try await stores.open("read/store")
    try await BenchStores.fill(store, options.entries, bytes: Workload.tokenBytes)
    if options.includes("read.token") {
      let samples = try samples(of: store, batch: 32)
      let copy = MemoryReference.copy(Workload.tokenBytes)
      try Output.print(
        Measurement(
          "read.token",
          of: BenchStores.name,
          samples: samples,
          unit: "ns",
          reference: Reference("memcpy of 800 bytes", copy),
          targets: [.atMost(150, .p50)]
        )
      )
    }
    store.close()
    guard options.includes("read.strict") else { return }
    let strict = try await stores.open("read/store") { $0.reads = .strict }
    let samples = try samples(of: strict, batch: 4)
    try Output.print(
      Measurement(
        "read.strict",
        of: BenchStores.name,
        samples: samples,
        unit: "ns",
        reference: CipherReference(options.cipher).opening(Workload.tokenBytes),
        targets: [.atMost(2_500, .p50)]
      )
    )
  }

  private func samples(of store: SecureStore, batch: Int) throws -> Samples {
    let key = Workload.key(options.entries / 2)
    let writer = try Child(["child-write", stores.scratch.path("read")])
    writer.waitForOutput()
    var bytes = 0
    let samples = try Samples.timing(640_000 / batch, batch: batch) { _ in
      bytes += try store.secret(forKey: key)?.count ?? 0
    }
    _ = try writer.finish()
    guard bytes == 640_000 * Workload.tokenBytes else { throw Failure("a value is not whole") }
    return samples
  }
}
