import BenchKit
import Foundation

/// A gRPC client beside that of gRPC C++, each in a process of its own, taking turns with the
/// same servers.
struct RealtimeBench: StoreBench {
  let measures =
    RealtimeMeasure.all.flatMap { $0.names(pooled: false) + $0.names(pooled: true) }
    + ["realtime.memory", "realtime.memory.pool", "realtime.stall"]
  private let options: Options
  private let folder = URL(fileURLWithPath: Child.program).deletingLastPathComponent()

  private static let rounds = 7

  init(_ options: Options, _ scratch: ScratchDirectory) { self.options = options }

  func run() async throws {
    guard FileManager.default.isExecutableFile(atPath: program(.grpcClient)) else {
      Output.progress("there is no \(Program.grpcClient.rawValue), and realtime is left out")
      return
    }
    let isForMemory = ["realtime.memory", "realtime.memory.pool"].contains(where: options.includes)
    var peaks: [RealtimeRun.Client: [Double]] = [:]
    for measure in RealtimeMeasure.all {
      let names = measure.names(pooled: false) + measure.names(pooled: true)
      guard names.contains(where: options.includes) || (measure.streams && isForMemory) else {
        continue
      }
      Output.progress("\(measure.name): \(Self.rounds) rounds of \(measure.count) messages")
      let runs = try compare(measure)
      for (client, runs) in runs where measure.streams {
        peaks[client, default: []] += runs.map(\.peakMemory)
      }
      try report(measure, runs, .own)
      try report(measure, runs, .pooled)
    }
    if options.includes("realtime.memory") { try reportMemory("realtime.memory", peaks, .own) }
    if options.includes("realtime.memory.pool") {
      try reportMemory("realtime.memory.pool", peaks, .pooled)
    }
    if options.includes("realtime.stall") { try reportStall() }
  }

  private enum Program: String {
    case grpcClient = "bench-grpc-client"
    case grpcServer = "bench-grpc-server"
    case packingServer = "bench-packing-server"
    case client = "bench-realtime"
  }

  private func program(_ program: Program) -> String {
    folder.appendingPathComponent(program.rawValue).path
  }

  private func compare(
    _ measure: RealtimeMeasure
  ) throws -> [RealtimeRun.Client: [RealtimeRun]] {
    let server = try Child([], of: program(measure.isPacked ? .packingServer : .grpcServer))
    let port = server.line()
    var runs: [RealtimeRun.Client: [RealtimeRun]] = [:]
    for _ in 0..<Self.rounds {
      for client in RealtimeRun.Client.allCases {
        let path = program(client == .grpc ? .grpcClient : .client)
        let child = try Child(measure.arguments(port: port, client), of: path)
        runs[client, default: []].append(try RealtimeRun(child.finish(), count: measure.count))
      }
    }
    _ = try server.finish()
    return runs
  }

  private func report(
    _ measure: RealtimeMeasure,
    _ runs: [RealtimeRun.Client: [RealtimeRun]],
    _ client: RealtimeRun.Client
  ) throws {
    let names = measure.names(pooled: client == .pooled)
    let figures: [KeyPath<RealtimeRun, Double>] = [\.processor, \.median]
    for (name, figure) in zip(names, figures) where options.includes(name) {
      try Output.print(
        Measurement(
          name,
          of: "Realtime",
          samples: Samples(runs[client, default: []].map { $0[keyPath: figure] }),
          unit: "us",
          reference: Reference(
            "gRPC C++",
            Samples(runs[.grpc, default: []].map { $0[keyPath: figure] }).percentile(50)
          ),
          targets: [.atMost(measure.target, .ratio)]
        )
      )
    }
  }

  private func reportMemory(
    _ name: String,
    _ peaks: [RealtimeRun.Client: [Double]],
    _ client: RealtimeRun.Client
  ) throws {
    try Output.print(
      Measurement(
        name,
        of: "Realtime",
        value: peaks[client]?.max(),
        unit: "MB",
        reference: Reference("gRPC C++", peaks[.grpc]?.max() ?? .nan),
        targets: [.atMost(12, .value)]
      )
    )
  }

  private func reportStall() throws {
    Output.progress("realtime.stall: 1 GB that nobody reads")
    let server = try Child([], of: program(.packingServer))
    let arguments = [server.line(), "stall", "\(100_000)", "\(10_000)"]
    let child = try Child(arguments, of: program(.client))
    let run = try RealtimeRun(child.finish(), count: 1)
    _ = try server.finish()
    try Output.print(
      Measurement(
        "realtime.stall",
        of: "Realtime",
        value: run.peakMemory * 1e6 / Double(1 << 20),
        unit: "MiB more",
        targets: [.atMost(8, .value)]
      )
    )
  }
}
