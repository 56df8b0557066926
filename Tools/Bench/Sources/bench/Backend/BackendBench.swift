import BenchKit
import DevBackendLoad
import Foundation
import Synchronization

/// The development backend under load: streams on one instance, sign-ins and refreshes on either
/// database, and two instances of which one is killed again and again.
struct BackendBench: StoreBench {
  let measures = [
    "backend.streams.memory", "backend.streams.fanout", "backend.login.sqlite",
    "backend.login.postgresql", "backend.refresh.sqlite", "backend.refresh.postgresql",
    "backend.cluster.refresh", "backend.cluster.signedout", "backend.cluster.twice",
    "backend.cluster.revoked",
  ]
  private let options: Options
  private let scratch: ScratchDirectory
  private let program = ProcessInfo.processInfo.environment["BENCH_DEV_BACKEND"] ?? ""

  private static let streams = 1_000
  private static let clients = 200

  init(_ options: Options, _ scratch: ScratchDirectory) {
    (self.options, self.scratch) = (options, scratch)
  }

  func run() async throws {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      Output.progress("BENCH_DEV_BACKEND names no dev-backend, and backend is left out")
      return
    }
    raiseDescriptorLimit()
    if wants("backend.streams") { try await measureStreams() }
    if wants("backend.login.sqlite") || wants("backend.refresh.sqlite") {
      try measureCalls("sqlite", ["--database", scratch.path("backend.db")])
    }
    let isShared = ["backend.login.postgresql", "backend.refresh.postgresql", "backend.cluster"]
    guard isShared.contains(where: wants) else { return }
    let servers = try SharedServers(in: scratch)
    defer { try? servers.stop() }
    if wants("backend.login.postgresql") || wants("backend.refresh.postgresql") {
      try measureCalls("postgresql", ["--database", servers.database])
    }
    if wants("backend.cluster") { try measureCluster(servers) }
  }

  /// Whether a measure is asked for that begins so.
  private func wants(_ prefix: String) -> Bool {
    measures.contains { $0.hasPrefix(prefix) && options.includes($0) }
  }

  private func instance(_ arguments: [String]) throws -> BackendProcess {
    try BackendProcess(URL(fileURLWithPath: program), options: arguments)
  }

  /// A thousand streams need as many sockets, on both sides.
  private func raiseDescriptorLimit() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  private func measureStreams() async throws {
    Output.progress("backend.streams: \(Self.streams) streams, 20 messages to each")
    let backend = try instance(["--database", scratch.path("streams.db")])
    defer { backend.kill() }
    let token = try LoginLoad.accessToken(port: backend.httpPort)
    let before = try memory(of: backend)
    var after = before
    let load = StreamLoad(port: backend.realtimePort, token: token, clients: Self.streams)
    let times = try await load.run(messages: 20) { after = try memory(of: backend) }
    if options.includes("backend.streams.memory") {
      try Output.print(
        Measurement(
          "backend.streams.memory",
          of: "DevBackend",
          value: after,
          unit: "MiB",
          reference: Reference("the same without streams", before)
        )
      )
    }
    if options.includes("backend.streams.fanout") {
      try Output.print(
        Measurement(
          "backend.streams.fanout",
          of: "DevBackend",
          samples: Samples(times),
          unit: "ms",
          targets: [.atMost(1_000, .p99)]
        )
      )
    }
  }

  private func memory(of backend: BackendProcess) throws -> Double {
    let status = try String(contentsOfFile: "/proc/\(backend.identifier)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
      Double($0)
    }
    return (kibibytes ?? .nan) / 1_024
  }

  private func measureCalls(_ kind: String, _ arguments: [String]) throws {
    let backend = try instance(arguments)
    defer { backend.kill() }
    if options.includes("backend.login.\(kind)") {
      Output.progress("backend.login.\(kind): 200 sign-ins, 8 at a time")
      let times = try LoginLoad(port: backend.httpPort, width: 8, logins: 200).run()
      try report("backend.login.\(kind)", times.milliseconds, times.seconds)
    }
    if options.includes("backend.refresh.\(kind)") {
      Output.progress("backend.refresh.\(kind): 10000 refreshes by 20 clients")
      let load = RefreshLoad(
        ports: [backend.httpPort],
        clients: 20,
        refreshes: 10_000,
        revocations: 0
      )
      let done = try load.run()
      try report("backend.refresh.\(kind)", done.milliseconds, done.seconds)
    }
  }

  /// How many a second, and the percentiles of what one took, in milliseconds.
  private func report(_ name: String, _ milliseconds: [Double], _ seconds: Double) throws {
    try Output.print(
      Measurement(
        name,
        of: "DevBackend",
        value: Double(milliseconds.count) / seconds,
        samples: Samples(milliseconds),
        unit: "a second; ms"
      )
    )
  }

  private func measureCluster(_ servers: SharedServers) throws {
    Output.progress("backend.cluster: 100000 refreshes by \(Self.clients) clients, with SIGKILL")
    let arguments = ["--database", servers.database, "--redis", servers.redis]
    let (steady, killed) = (try instance(arguments), try instance(arguments))
    defer {
      steady.kill()
      killed.kill()
    }
    let isOver = Atomic(false)
    let kills = Atomic(0)
    let ended = DispatchSemaphore(value: 0)
    let load = RefreshLoad(
      ports: [steady.httpPort, killed.httpPort],
      clients: Self.clients,
      refreshes: 100_000,
      revocations: 60
    )
    var hasBegun = false
    let report = try load.run {
      hasBegun = true
      Thread {
        while !isOver.load(ordering: .relaxed) {
          sleep(2)
          killed.kill()
          kills.add(1, ordering: .relaxed)
          do {
            try killed.start()
          } catch {
            Output.progress("\(error)")
          }
        }
        ended.signal()
      }.start()
    }
    isOver.store(true, ordering: .relaxed)
    if hasBegun { ended.wait() }
    Output.progress(
      "backend.cluster: \(report.refreshes) refreshes, \(kills.load(ordering: .relaxed)) kills, "
        + "\(report.retries) retries, \(report.spentTried) spent and \(report.revokedTried) revoked "
        + "tokens tried; surprises: \(report.surprises.sorted())"
    )
    if options.includes("backend.cluster.refresh") {
      try self.report("backend.cluster.refresh", report.milliseconds, report.seconds)
    }
    for (name, count) in [
      ("backend.cluster.signedout", report.signedOut),
      ("backend.cluster.twice", report.acceptedTwice),
      ("backend.cluster.revoked", report.acceptedRevoked),
    ] where options.includes(name) {
      try Output.print(
        Measurement(
          name,
          of: "DevBackend",
          value: Double(count),
          unit: "of all",
          targets: [.atMost(0, .value)]
        )
      )
    }
  }
}
