/// What a run of many requests came to: a value that answers are counted into, of bounded size.
struct RequestTally: Sendable {
  /// How many failures in a row are an alarm; nil where every one counts.
  let alarmAfter: Int?

  /// How many answers and failures there are.
  private(set) var total = 0
  /// How many there are of each status and each error's code.
  private(set) var counts: [String: Int] = [:]
  /// How long the answers took, failures without an answer left out.
  private(set) var latencies = LatencyHistogram()
  /// How many failed.
  private(set) var failures = 0
  /// The most failures that came one after the other.
  private(set) var longestRow = 0
  /// The worst failure of the run: what it ends with where every failure counts.
  private var worst: ClientError?
  private var row = 0
  private var worstOfRow: ClientError?
  private var alarm: ClientError?

  init(alarmAfter: Int? = nil) { self.alarmAfter = alarmAfter }

  /// Whether failures have become an alarm, so that more requests are of no use.
  var isAlarm: Bool { alarm != nil }

  /// What the run ends with; nil for a success.
  var outcome: ClientError? { alarmAfter == nil ? worst : alarm }

  /// Counts an answer.
  mutating func answered(_ status: Int, problem: ClientError?, after latency: Duration) {
    latencies.record(latency)
    count("\(status)", problem)
  }

  /// Counts a request that got no answer.
  mutating func failed(_ name: String, _ problem: ClientError) { count(name, problem) }

  private mutating func count(_ name: String, _ problem: ClientError?) {
    total += 1
    counts[name, default: 0] += 1
    guard let problem else {
      (row, worstOfRow) = (0, nil)
      return
    }
    failures += 1
    row += 1
    longestRow = max(longestRow, row)
    if problem.isWorse(than: worst) { worst = problem }
    if problem.isWorse(than: worstOfRow) { worstOfRow = problem }
    guard let alarmAfter, alarm == nil, row >= alarmAfter || problem.isLasting else { return }
    alarm = worstOfRow
  }
}

extension ClientError {
  fileprivate func isWorse(than other: ClientError?) -> Bool {
    exitStatus.severity < other?.exitStatus.severity ?? .max
  }

  /// Whether only a person can mend it: storage that fails, a session that has ended.
  fileprivate var isLasting: Bool { exitStatus == .storage || exitStatus == .notSignedIn }
}
