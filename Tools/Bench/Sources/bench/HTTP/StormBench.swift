import AuthNetworking
import BenchKit

/// A thousand requests at one moment, on a token that has expired and on one that has not.
struct StormBench: StoreBench {
  let measures = ["http.storm", "http.executor.storm", "http.refreshes"]
  private let options: Options
  private let stores: BenchStores

  private static let requests = 1_000
  private static let rounds = 9

  init(_ options: Options, _ scratch: ScratchDirectory) {
    self.options = options
    stores = BenchStores(options: options, scratch: scratch)
  }

  func run() async throws {
    Output.progress(measures.joined(separator: ", "))
    let loopback = try Loopback(stores)
    var refreshes = 0
    var storms: [Bool: (expired: [Double], fresh: [Double])] = [false: ([], []), true: ([], [])]
    for _ in 0..<StormBench.rounds {
      for isPreferring in [false, true] {
        // A session of its own each time, whose connections are new.
        let fresh = try await storm(loopback, isExpired: false, isPreferring)
        storms[isPreferring]?.fresh.append(fresh)
        let before = try await loopback.refreshes()
        let expired = try await storm(loopback, isExpired: true, isPreferring)
        storms[isPreferring]?.expired.append(expired)
        refreshes = max(refreshes, try await loopback.refreshes() - before)
      }
    }
    let roundTrip = try await roundTrip(loopback)
    try loopback.close()
    for isPreferring in [false, true] {
      let name = isPreferring ? "http.executor.storm" : "http.storm"
      guard let times = storms[isPreferring], options.includes(name) else { continue }
      try Output.print(
        Measurement(
          name,
          of: "AuthNetworking",
          value: times.expired.min(),
          samples: Samples(times.expired),
          unit: "ms",
          reference: Reference(
            "the same on a fresh token, and one round trip; the best of \(StormBench.rounds) each",
            (times.fresh.min() ?? .nan) + roundTrip
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
  private func storm(
    _ loopback: Loopback,
    isExpired: Bool,
    _ isPreferring: Bool
  ) async throws -> Double {
    let transport = try CurlTransport()
    let session = try await loopback.session(
      expiresIn: isExpired ? -60 : 86_400,
      token: isExpired ? "\(LoopbackServer.staleToken)" : Loopback.token,
      transport: transport
    )
    return try await withTaskExecutorPreference(isPreferring ? transport.executor : nil) {
      try await storm(session)
    }
  }

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
