import AuthNetworking
import BenchKit

/// Authenticated requests, one after the other on a kept connection, beside libcurl alone.
struct RequestBench: StoreBench, Sendable {
  let measures = ["http.get", "http.cpu", "http.executor.get", "http.executor.cpu"]
  private let options: Options
  private let stores: BenchStores

  /// Rounds, in which both take turns, so that what else the machine does meets both.
  private static let rounds = 60
  private static let requests = 200

  init(_ options: Options, _ scratch: ScratchDirectory) {
    self.options = options
    stores = BenchStores(options: options, scratch: scratch)
  }

  func run() async throws {
    // Not on the main actor, whose queue is a detour of its own.
    try await Task.detached { [self] in try await measure() }.value
  }

  private func measure() async throws {
    Output.progress(measures.joined(separator: ", "))
    let loopback = try Loopback(stores)
    let transport = try CurlTransport()
    let session = try await loopback.session(expiresIn: 86_400, transport: transport)
    let bare = try BareCurl(loopback.baseURL.appending(path: "/thing"), token: Loopback.token)
    var (own, preferring, others) = (Turns(), Turns(), Turns())
    for _ in 0..<RequestBench.rounds {
      try await own.take { try await send(session) }
      try await withTaskExecutorPreference(transport.executor) {
        try await preferring.take { try await send(session) }
      }
      try await others.take { try bare.get() }
    }
    try loopback.close()
    for (name, turns) in [("http", own), ("http.executor", preferring)] {
      try report("\(name).get", turns.times, others.times, .atMost(1.15, .ratio))
      try report("\(name).cpu", turns.processor, others.processor, .atMost(1.5, .ratio))
    }
  }

  private func send(_ session: SessionController) async throws {
    let answer = try await session.send(APIRequest(.get, "/thing"))
    guard answer.status == 200 else { throw Failure("a request got \(answer.status)") }
  }

  /// Microseconds of one side, of each request and of the processors for each.
  private struct Turns {
    private var allTimes: [Double] = []
    private var allProcessor: [Double] = []
    private var count = 0

    var times: Samples { Samples(allTimes) }
    var processor: Samples { Samples(allProcessor) }

    mutating func take(_ request: () async throws -> Void) async throws {
      var own: [Double] = []
      own.reserveCapacity(RequestBench.requests)
      let start = Clock.processorTime()
      for _ in 0..<RequestBench.requests {
        let begin = Clock.now()
        try await request()
        own.append(Double(Clock.now() - begin) / 1e3)
      }
      let used = Double(Clock.processorTime() - start) / 1e3
      count += 1
      // The first rounds open connections and load code.
      guard count > 5 else { return }
      allTimes += own
      allProcessor.append(used / Double(RequestBench.requests))
    }
  }

  private func report(
    _ measure: String,
    _ samples: Samples,
    _ bare: Samples,
    _ target: Target
  ) throws {
    guard options.includes(measure) else { return }
    try Output.print(
      Measurement(
        measure,
        of: "AuthNetworking",
        samples: samples,
        unit: "us",
        reference: Reference(BareCurl.name, bare.percentile(50)),
        targets: [target]
      )
    )
  }
}
