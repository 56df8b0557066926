/// One kind of traffic that two clients are compared with.
struct RealtimeMeasure {
  let name: String
  /// Whether it is one stream of messages, rather than calls one after the other.
  let streams: Bool
  /// Whether the server packs many messages into one write.
  let isPacked: Bool
  let count: Int
  let size: Int
  /// The most that it should cost, by what it costs gRPC C++.
  let target: Double

  static let all = [
    RealtimeMeasure(
      name: "realtime.small.grpc",
      streams: true,
      isPacked: false,
      count: 200_000,
      size: 100,
      target: 1
    ),
    RealtimeMeasure(
      name: "realtime.small.packed",
      streams: true,
      isPacked: true,
      count: 1_000_000,
      size: 100,
      target: 0.5
    ),
    RealtimeMeasure(
      name: "realtime.large.grpc",
      streams: true,
      isPacked: false,
      count: 50_000,
      size: 10_000,
      target: 1
    ),
    RealtimeMeasure(
      name: "realtime.large.packed",
      streams: true,
      isPacked: true,
      count: 50_000,
      size: 10_000,
      target: 1
    ),
    RealtimeMeasure(
      name: "realtime.unary",
      streams: false,
      isPacked: false,
      count: 10_000,
      size: 100,
      target: 1.1
    ),
  ]

  /// What it is printed as, for a client of ours in one of its two forms.
  func names(pooled: Bool) -> [String] {
    let name = pooled ? name + ".pool" : name
    return streams ? [name] : [name + ".cpu", name + ".p50"]
  }

  func arguments(port: String, _ client: RealtimeRun.Client) -> [String] {
    let kind = streams ? "stream" : "unary"
    return [port, client == .own ? kind + "-inline" : kind, "\(count)", "\(size)"]
  }
}
