import Foundation

/// The work that all stores do, on one of them.
package struct Comparison<Store: ComparedStore> {
  private let options: Options

  /// A comparison with some options.
  package init(_ options: Options) { self.options = options }

  /// The main program of a store's executable.
  package static func main() async {
    do {
      let arguments = CommandLine.arguments.dropFirst()
      switch arguments.first {
      case "child-write": try await write(in: arguments.dropFirst().first ?? "")
      case "child-open": try await open(arguments.dropFirst().first ?? "")
      default: try await Comparison(Options(arguments)).run()
      }
    } catch {
      Output.progress("\(error)")
      exit(EXIT_FAILURE)
    }
  }

  /// Measures, and prints.
  package func run() async throws {
    let wanted = ["compare.read", "compare.session", "compare.open", "compare.memory"]
    guard wanted.contains(where: options.includes) else { return }
    let scratch = try ScratchDirectory(in: options.directory)
    let (full, empty) = (scratch.path("full"), scratch.path("empty"))
    for path in [full, empty] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    Output.progress("\(Store.name): \(options.entries) entries")
    let store = try await Store(directory: full, cipher: options.cipher)
    try await store.fill(options.entries)
    let small = try await Store(directory: empty, cipher: options.cipher)
    try await small.write([(Workload.key(0), [1])])
    if options.includes("compare.read") { try read(store, full) }
    if options.includes("compare.session") { try await session(store, scratch) }
    try opening(full, empty)
  }

  private func read(_ store: Store, _ directory: String) throws {
    Output.progress("\(Store.name): compare.read")
    let keys = Workload.hotKeys(of: options.entries)
    let writer = try Child(["child-write", directory])
    writer.waitForOutput()
    var bytes = 0
    let samples = try Samples.timing(20_000, batch: 16) {
      bytes += try store.read(keys[$0 % keys.count]).count
    }
    guard bytes == 320_000 * Workload.tokenBytes else { throw Failure("a value is not whole") }
    _ = try writer.finish()
    try Output.print(
      Measurement(
        "compare.read",
        of: Store.name,
        samples: samples,
        unit: "ns",
        reference: Reference("memcpy of 800 bytes", MemoryReference.copy(Workload.tokenBytes))
      )
    )
  }

  private func session(_ store: Store, _ scratch: ScratchDirectory) async throws {
    Output.progress("\(Store.name): compare.session")
    let disk = try DiskReference(in: scratch.path)
    let (samples, reference) = try await DurableWrites.measure(
      1_000,
      beside: disk,
      prepare: Workload.session
    ) { try await store.write($0) }
    try Output.print(
      Measurement(
        "compare.session",
        of: Store.name,
        samples: samples,
        unit: "us",
        reference: Reference(DiskReference.name, reference.percentile(50))
      )
    )
  }

  private func opening(_ full: String, _ empty: String) throws {
    guard options.includes("compare.open") || options.includes("compare.memory") else { return }
    Output.progress("\(Store.name): compare.open, compare.memory")
    let all = try Opening.measure(20, ["child-open", full])
    let none = try Opening.measure(20, ["child-open", empty])
    if options.includes("compare.open") {
      try Output.print(
        Measurement(
          "compare.open",
          of: Store.name,
          samples: Samples(all.map { $0.processor / 1e6 }),
          unit: "ms",
          reference: Reference(
            "the same with one entry",
            Samples(none.map { $0.processor / 1e6 }).percentile(50)
          )
        )
      )
    }
    if options.includes("compare.memory") {
      try Output.print(
        Measurement(
          "compare.memory",
          of: Store.name,
          samples: Samples(all.map { $0.memory / 1_048_576 }),
          unit: "MiB",
          reference: Reference(
            "the same with one entry",
            Samples(none.map { $0.memory / 1_048_576 }).percentile(50)
          )
        )
      )
    }
  }

  /// A process that writes while another one reads: a commit each 10 ms.
  package static func write(in directory: String) async throws {
    let store = try await Store(directory: directory, cipher: nil)
    var index = 0
    Child.reportReady()
    while !Child.isToldToEnd(within: 10) {
      index += 1
      try await store.write([("other.process", Workload.text(100, seed: index))])
    }
  }

  /// A process that opens a store, reads once, and says what that cost.
  package static func open(_ directory: String) async throws {
    let opening = try await Opening.measure {
      let bytes = try await Store(directory: directory, cipher: nil).read(Workload.key(0))
      guard !bytes.isEmpty else { throw Failure("nothing was read") }
    }
    try opening.report()
  }
}
