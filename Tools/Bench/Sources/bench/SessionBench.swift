import BenchKit
import SecureStorage
import SessionModels

/// The four values of a session, in one transaction.
struct SessionBench: StoreBench {
  let measures = [
    "session.durable", "session.durable.executor", "session.durable.blocking", "session.large",
    "session.normal",
  ]
  private let options: Options
  private let stores: BenchStores

  init(_ options: Options, _ scratch: ScratchDirectory) {
    self.options = options
    stores = BenchStores(options: options, scratch: scratch)
  }

  func run() async throws {
    let disk = try DiskReference(in: stores.scratch.path)
    if options.includes("session.durable") {
      Output.progress("session.durable")
      let store = try await stores.open("session/store")
      try await measure("session.durable", store, 2_000, disk, [.atMost(1.3, .ratio)])
    }
    if options.includes("session.durable.executor") {
      Output.progress("session.durable.executor")
      let store = try await stores.open("session-executor/store")
      try await withTaskExecutorPreference(store.executor) {
        try await measure("session.durable.executor", store, 2_000, disk, [.atMost(1.3, .ratio)])
      }
    }
    if options.includes("session.durable.blocking") {
      Output.progress("session.durable.blocking")
      let store = try await stores.open("session-blocking/store")
      try await measure(
        "session.durable.blocking",
        store,
        2_000,
        disk,
        [.atMost(1.3, .ratio)],
        isBlocking: true
      )
    }
    if options.includes("session.large") {
      Output.progress("session.large: \(options.entries) entries")
      let store = try await stores.open("session-large/store")
      try await BenchStores.fill(store, options.entries, bytes: Workload.tokenBytes)
      try await measure("session.large", store, 2_000, disk, [])
    }
    if options.includes("session.normal") {
      Output.progress("session.normal")
      let store = try await stores.open("session-normal/store") { $0.durability = .normal }
      let targets = [Target.atMost(40, .p50), .atMost(150, .p99)]
      try await measure("session.normal", store, 10_000, nil, targets)
    }
  }

  private func measure(
    _ name: String,
    _ store: SecureStore,
    _ count: Int,
    _ disk: DiskReference?,
    _ targets: [Target],
    isBlocking: Bool = false
  ) async throws {
    let (samples, reference) = try await DurableWrites.measure(
      count,
      beside: disk,
      prepare: { Workload.session($0).map { (key: $0.key, value: Secret(bytes: $0.value)) } },
      { values in
        if isBlocking { return try SessionBench.write(values, store) }
        try await store.transaction { transaction throws(StorageError) in
          for (key, value) in values { try transaction.set(value, forKey: key) }
        }
      }
    )
    try Output.print(
      Measurement(
        name,
        of: BenchStores.name,
        samples: samples,
        unit: "us",
        reference: disk.map { _ in Reference(DiskReference.name, reference.percentile(50)) },
        targets: targets
      )
    )
  }

  /// On the calling thread, as the disk's own write is.
  private static func write(
    _ values: [(key: String, value: Secret)],
    _ store: SecureStore
  ) throws {
    try store.transactionBlocking { transaction throws(StorageError) in
      for (key, value) in values { try transaction.set(value, forKey: key) }
    }
  }
}
