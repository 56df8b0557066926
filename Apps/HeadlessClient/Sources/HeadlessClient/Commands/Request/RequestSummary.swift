internal import AuthNetworking

/// What a run of many requests came to, as it is printed.
struct RequestSummary {
  /// What was counted.
  var tally: RequestTally
  /// How many requests were wanted; nil where there was no end.
  var wanted: Int?
  /// How long it took.
  var elapsed: Duration
  /// How often the session was refreshed meanwhile.
  var refreshes: Int
  /// Whether it was ended by Ctrl-C.
  var isInterrupted = false

  /// The object for programs; times are milliseconds.
  var json: JSONValue {
    let latencies = tally.latencies
    return .members([
      "summary": .members([
        "requests": .integer(tally.total),
        "failed": .integer(tally.failures),
        "failedInARow": .integer(tally.longestRow),
        "counts": .object(JSONObject(sortedCounts.map { ($0.key, .integer($0.value)) })),
        "refreshes": .integer(refreshes),
        "seconds": JSONNumber(Double(elapsed.microseconds) / 1e6).map(JSONValue.number),
        "milliseconds": .members([
          "least": latencies.least.map(RequestSummary.milliseconds),
          "mean": latencies.mean.map { RequestSummary.milliseconds(UInt64($0)) },
          "p50": latencies.quantile(0.5).map(RequestSummary.milliseconds),
          "p90": latencies.quantile(0.9).map(RequestSummary.milliseconds),
          "p99": latencies.quantile(0.99).map(RequestSummary.milliseconds),
          "greatest": latencies.greatest.map(RequestSummary.milliseconds),
        ]),
        "histogram": .array(
          latencies.rows.map { row in
            .members([
              "from": RequestSummary.milliseconds(row.from),
              "to": RequestSummary.milliseconds(row.to),
              "count": .integer(row.count),
            ])
          }
        ),
        "alarm": .bool(tally.isAlarm),
        "interrupted": .bool(isInterrupted),
      ])
    ])
  }

  /// The text for people, for a terminal of some columns.
  func text(width: Int) -> String {
    var lines = [headline + ", \(rate)"]
    if tally.failures > 0 {
      var line = "\(tally.failures) failed, at most \(tally.longestRow) in a row"
      if let limit = tally.alarmAfter {
        line += tally.isAlarm ? ": an alarm" : ": no alarm, which takes \(limit)"
      }
      lines.append(line)
    }
    if refreshes > 0 {
      lines.append("the session was refreshed \(refreshes == 1 ? "once" : "\(refreshes) times")")
    }
    if let quantiles { lines.append(quantiles) }
    return (lines + histogram(width: width)).joined(separator: "\n")
  }

  /// One line of it, for the terminal while it goes on.
  var progress: String {
    let median = tally.latencies.quantile(0.5).map { ", p50 \(RequestSummary.time($0))" } ?? ""
    return headline + median
  }

  private var headline: String {
    let parts = sortedCounts.map { "\($0.value) × \($0.key)" }
    let total = wanted.map { "\(tally.total) of \($0) requests" }
    return "\(total ?? Counted.text(tally.total, "request")): "
      + (parts.isEmpty ? "no answer" : parts.joined(separator: ", "))
  }

  private var sortedCounts: [(key: String, value: Int)] { tally.counts.sorted { $0.key < $1.key } }

  private var rate: String {
    let time = RequestSummary.time(elapsed.microseconds)
    guard elapsed.microseconds > 0 else { return "in \(time)" }
    let perSecond = Double(tally.total) / (Double(elapsed.microseconds) / 1e6)
    let tenths = Int((perSecond * 10).rounded())
    return "in \(time), \(tenths / 10).\(tenths % 10) a second"
  }

  private var quantiles: String? {
    let latencies = tally.latencies
    guard let half = latencies.quantile(0.5), let most = latencies.quantile(0.9),
      let nearlyAll = latencies.quantile(0.99), let greatest = latencies.greatest
    else { return nil }
    let times = [half, most, nearlyAll, greatest].map(RequestSummary.time)
    return "answered after: p50 \(times[0]), p90 \(times[1]), p99 \(times[2]), at most \(times[3])"
  }

  private func histogram(width: Int) -> [String] {
    let rows = tally.latencies.rows
    let labels = rows.map {
      "\(RequestSummary.time($0.from)) – \(RequestSummary.time($0.to))"
    }
    let labelWidth = labels.map(\.count).max() ?? 0
    let greatest = rows.map(\.count).max() ?? 1
    let countWidth = "\(greatest)".count
    let room = min(60, width - labelWidth - countWidth - 7)
    return zip(rows, labels).map { row, label in
      let bar =
        room < 5
        ? "" : RequestSummary.bar(Double(row.count) / Double(max(greatest, 1)) * Double(room))
      let count = "\(row.count)"
      return "  " + String(repeating: " ", count: labelWidth - label.count) + label + "  "
        + String(repeating: " ", count: countWidth - count.count) + count
        + (bar.isEmpty ? "" : "  " + bar)
    }
  }

  /// A bar in eighths of a column, so that one among thousands still shows.
  private static func bar(_ columns: Double) -> String {
    guard columns > 0 else { return "" }
    let eighths = max(1, Int((columns * 8).rounded()))
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    return String(repeating: "█", count: eighths / 8) + rest
  }

  /// A time as people read it, of three figures: `350 µs`, `3.14 ms`, `1.2 s`, `2 h 5 min`.
  static func time(_ microseconds: UInt64) -> String {
    switch microseconds {
    case ..<1000: return "\(microseconds) µs"
    case ..<1_000_000: return "\(threeFigures(Double(microseconds) / 1000)) ms"
    case ..<120_000_000: return "\(threeFigures(Double(microseconds) / 1_000_000)) s"
    default:
      let minutes = microseconds / 60_000_000
      guard minutes >= 60 else { return "\(minutes) min" }
      return "\(minutes / 60) h" + (minutes % 60 == 0 ? "" : " \(minutes % 60) min")
    }
  }

  /// As `3`, `3.1`, `3.14`, `31.4` or `314`: zeros at the end go.
  private static func threeFigures(_ value: Double) -> String {
    let places = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
    let scale = [1, 10, 100][places]
    let scaled = Int((value * Double(scale)).rounded())
    guard scaled % scale != 0 else { return "\(scaled / scale)" }
    let fraction = "\(scale + scaled % scale)".dropFirst()
    return "\(scaled / scale)." + (fraction.last == "0" ? fraction.dropLast() : fraction)
  }

  private static func milliseconds(_ microseconds: UInt64) -> JSONValue {
    JSONNumber(Double(microseconds) / 1000).map(JSONValue.number) ?? .null
  }
}

extension Duration {
  /// Whole microseconds; none for a negative time.
  fileprivate var microseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
  }
}
