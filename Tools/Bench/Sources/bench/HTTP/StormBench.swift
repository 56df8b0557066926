import AuthNetworking
import BenchKit

/// A thousand requests at one moment, on a token that has expired and on one that has not.
struct StormBench: StoreBench {
  let measures = ["http.storm", "http.refreshes"]
  private let options: Options
  private let stores: BenchStores

  private static let requests = 1_000
  private static let rounds = 9

  init(_ options: Options, _ scratch: ScratchDirectory) {
    self.options = options
    stores = BenchStores(options: options, scratch: scratch)
  }

  func run() async throws {
    Output.progress("http.storm, http.refreshes")
    let loopback = try Loopback(stores)
    var (expired, fresh): ([Double], [Double]) = ([], [])
    var refreshes = 0
    for _ in 0..<StormBench.rounds {
      // A session of its own each time, whose connections are new.
      fresh.append(try await storm(loopback.session(expiresIn: 86_400)))
      let before = try await loopback.refreshes()
      let stale = try await loopback.session(expiresIn: -60, token: "\(LoopbackServer.staleToken)")
      expired.append(try await storm(stale))
      refreshes = max(refreshes, try await loopback.refreshes() - before)
    }
    let roundTrip = try await roundTrip(loopback)
    try loopback.close()
    if options.includes("http.storm") {
      try Output.print(
        Measurement(
          "http.storm",
          of: "AuthNetworking",
          value: expired.min(),
          samples: Samples(expired),
          unit: "ms",
          reference: Reference(
            "the same on a fresh token, and one round trip; the best of \(StormBench.rounds) each",
            (fresh.min() ?? .nan) + roundTrip
          ),
          targets: [.atMost(1.2, .ratio)]
        )
      )
    }
    if options.includes("http.refreshes") {
      try Output.print(
        Measurement(
          "http.refreshes",
          of: "AuthNetworking",
          value: Double(refreshes),
          unit: "a storm",
          targets: [.atMost(1, .value)]
        )
      )
    }
  }

  /// Milliseconds until all have their answers.
  private func storm(_ session: SessionController) async throws -> Double {
    let start = Clock.now()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<StormBench.requests {
        group.addTask { try await session.send(APIRequest(.get, "/thing")).status }
      }
      for try await status in group {
        guard status == 200 else { throw Failure("a request got \(status)") }
      }
    }
    return Double(Clock.now() - start) / 1e6
  }

  /// Milliseconds of one request on a connection of its own, as a refresh has it.
  private func roundTrip(_ loopback: Loopback) async throws -> Double {
    let transport = try CurlTransport()
    let url = try loopback.baseURL.appending(path: "/refreshes")
    var request = HTTPRequest(method: .get, url: url)
    request.needsNewConnection = true
    var times: [Double] = []
    for _ in 0..<50 {
      let start = Clock.now()
      _ = try await transport.send(request)
      times.append(Double(Clock.now() - start) / 1e6)
    }
    return Samples(times).percentile(50)
  }
}
