/// Writes metrics in Prometheus' text format, version 0.0.4.
struct MetricsText {
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// Every counter, with its help.
  static let counters: [(name: String, help: String)] = [
    ("http_requests_total", "Requests, by method, route and status"),
    ("refreshes_total", "Refreshes, by what was decided"),
    ("logins_total", "Logins, by outcome"),
    ("registrations_total", "Accounts that were made"),
    ("sessions_ended_total", "Sessions that ended, by reason"),
    ("rpcs_total", "Realtime calls that ended, by method and status"),
    ("faults_total", "Faults that were asked for and happened"),
    ("log_lines_total", "Log lines, by level"),
  ]

  private static let prefix = "dev_backend_"
  private(set) var text = ""

  mutating func counter(
    _ name: String,
    _ help: String,
    _ series: [(labels: [Metrics.Series.Label], value: Int)]
  ) {
    head(name, help, "counter")
    let lines = series.map { "\(Self.prefix)\(name)\(Self.labels($0.labels)) \($0.value)" }
    for line in lines.sorted() { text += "\(line)\n" }
  }

  mutating func gauge(_ name: String, _ help: String, _ value: Int64) {
    head(name, help, "gauge")
    text += "\(Self.prefix)\(name) \(value)\n"
  }

  mutating func histogram(
    _ name: String,
    _ help: String,
    label: String,
    _ histograms: [String: Histogram]
  ) {
    head(name, help, "histogram")
    for (value, histogram) in histograms.sorted(by: { $0.key < $1.key }) {
      let own = Metrics.Series.Label(name: label, value: value)
      var total = 0
      let bounds = Histogram.bounds.map(\.text) + ["+Inf"]
      for (bound, count) in zip(bounds, histogram.counts) {
        total += count
        let labels = Self.labels([own, .init(name: "le", value: bound)])
        text += "\(Self.prefix)\(name)_bucket\(labels) \(total)\n"
      }
      text += "\(Self.prefix)\(name)_sum\(Self.labels([own])) \(Self.seconds(histogram.sum))\n"
      text += "\(Self.prefix)\(name)_count\(Self.labels([own])) \(total)\n"
    }
  }

  private mutating func head(_ name: String, _ help: String, _ type: String) {
    text += "# HELP \(Self.prefix)\(name) \(help)\n# TYPE \(Self.prefix)\(name) \(type)\n"
  }

  private static func labels(_ labels: [Metrics.Series.Label]) -> String {
    guard !labels.isEmpty else { return "" }
    let parts = labels.map { "\($0.name)=\"\(escaped($0.value))\"" }
    return "{\(parts.joined(separator: ","))}"
  }

  private static func escaped(_ value: String) -> String {
    var text = ""
    for character in value {
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.append(character)
      }
    }
    return text
  }

  private static func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let micro = String(attoseconds / 1_000_000_000_000)
    return "\(seconds).\(String(repeating: "0", count: max(0, 6 - micro.count)))\(micro)"
  }
}
