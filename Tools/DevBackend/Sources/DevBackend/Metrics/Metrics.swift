internal import Synchronization

/// What the backend counts, for Prometheus.
///
/// Labels are routes, methods, statuses and names of events, all out of this program: no value of
/// a client becomes a label, so that neither secrets get in nor the number of series grows.
final class Metrics: Sendable {
  private struct State {
    var counters: [Series: Int] = [:]
    var durations: [String: Histogram] = [:]
  }

  /// One line of a counter.
  struct Series: Hashable, Sendable {
    let name: String
    let labels: [Label]

    struct Label: Hashable, Sendable {
      let name: String
      let value: String
    }
  }

  private let state = Mutex(State())

  private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  /// Counts a request and how long it took; the route is the pattern, not the path.
  func observe(method: String, route: String?, status: Int, duration: Duration) {
    let method = Self.methods.contains(method) ? method : "other"
    let route = route ?? "none"
    state.withLock { state in
      let labels = [("method", method), ("route", route), ("status", String(status))]
      state.counters[Series("http_requests_total", labels), default: 0] += 1
      state.durations[route, default: Histogram()].add(duration)
    }
  }

  /// Counts what a log line tells.
  func note(_ line: BackendLogLine) {
    var counted = [Series("log_lines_total", [("level", line.level.rawValue)])]
    let (kind, outcome) = Self.halves(of: line.event)
    switch kind {
    case "refresh": counted.append(Series("refreshes_total", [("outcome", outcome)]))
    case "login": counted.append(Series("logins_total", [("outcome", outcome)]))
    case "account": counted.append(Series("registrations_total", []))
    case "fault":
      counted.append(Series("faults_total", [("fault", line.value("fault") ?? "other")]))
    case "rpc":
      let labels = [
        ("method", line.value("method") ?? "other"), ("status", line.value("status") ?? "other"),
      ]
      counted.append(Series("rpcs_total", labels))
    case "session" where outcome == "ended":
      counted.append(Series("sessions_ended_total", [("reason", line.value("reason") ?? "other")]))
    default: break
    }
    state.withLock { state in
      for series in counted { state.counters[series, default: 0] += 1 }
    }
  }

  /// All of it in the text format, version 0.0.4, with what is not counted but looked up.
  func text(gauges: [(name: String, help: String, value: Int64)]) -> String {
    let (counters, durations) = state.withLock { ($0.counters, $0.durations) }
    var text = MetricsText()
    for (name, help) in MetricsText.counters {
      let series = counters.filter { $0.key.name == name }
      text.counter(name, help, series.map { (labels: $0.key.labels, value: $0.value) })
    }
    text.histogram(
      "http_request_seconds",
      "How long requests took, by route",
      label: "route",
      durations
    )
    for gauge in gauges { text.gauge(gauge.name, gauge.help, gauge.value) }
    return text.text
  }

  private static func halves(of event: String) -> (kind: String, outcome: String) {
    let parts = event.split(separator: ".", maxSplits: 1)
    return (parts.first.map(String.init) ?? "", parts.count > 1 ? String(parts[1]) : "")
  }
}

extension Metrics.Series {
  init(_ name: String, _ labels: [(String, String)]) {
    self.init(name: name, labels: labels.map { Label(name: $0.0, value: $0.1) })
  }
}

extension BackendLogLine {
  /// The value of a field; nil where there is none.
  func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// How often something took how long.
struct Histogram: Sendable {
  /// The upper bounds of the buckets, in milliseconds, and as seconds for the text.
  static let bounds: [(milliseconds: Int64, text: String)] = [
    (1, "0.001"), (2, "0.002"), (5, "0.005"), (10, "0.01"), (25, "0.025"), (50, "0.05"),
    (100, "0.1"), (250, "0.25"), (500, "0.5"), (1_000, "1"), (2_500, "2.5"), (10_000, "10"),
  ]

  /// By bucket, not added up yet; the last is for what took longer.
  private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  private(set) var sum = Duration.zero

  var count: Int { counts.reduce(0, +) }

  mutating func add(_ duration: Duration) {
    let bucket = Self.bounds.firstIndex { duration <= .milliseconds($0.milliseconds) }
    counts[bucket ?? Self.bounds.count] += 1
    sum += duration
  }
}
