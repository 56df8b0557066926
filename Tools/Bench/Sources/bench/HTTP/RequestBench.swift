import AuthNetworking
import BenchKit

/// Authenticated requests, one after the other on a kept connection, beside libcurl alone.
struct RequestBench: StoreBench, Sendable {
  let measures = ["http.get", "http.cpu"]
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
    Output.progress("http.get, http.cpu")
    let loopback = try Loopback(stores)
    let session = try await loopback.session(expiresIn: 86_400)
    let bare = try BareCurl(loopback.baseURL.appending(path: "/thing"), token: Loopback.token)
    var (times, bareTimes): ([Double], [Double]) = ([], [])
    var (processor, bareProcessor): ([Double], [Double]) = ([], [])
    for round in 0..<RequestBench.rounds {
      var own: [Double] = []
      var start = Clock.processorTime()
      for _ in 0..<RequestBench.requests {
        let begin = Clock.now()
        let answer = try await session.send(APIRequest(.get, "/thing"))
        own.append(Double(Clock.now() - begin) / 1e3)
        guard answer.status == 200 else { throw Failure("a request got \(answer.status)") }
      }
      let ownProcessor = Double(Clock.processorTime() - start) / 1e3
      var others: [Double] = []
      start = Clock.processorTime()
      for _ in 0..<RequestBench.requests {
        let begin = Clock.now()
        try bare.get()
        others.append(Double(Clock.now() - begin) / 1e3)
      }
      let otherProcessor = Double(Clock.processorTime() - start) / 1e3
      // The first rounds open connections and load code.
      guard round >= 5 else { continue }
      times += own
      bareTimes += others
      processor.append(ownProcessor / Double(RequestBench.requests))
      bareProcessor.append(otherProcessor / Double(RequestBench.requests))
    }
    try loopback.close()
    try report("http.get", Samples(times), Samples(bareTimes), .atMost(1.15, .ratio))
    try report("http.cpu", Samples(processor), Samples(bareProcessor), .atMost(1.5, .ratio))
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
