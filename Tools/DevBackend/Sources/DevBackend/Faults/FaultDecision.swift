/// What becomes of one request.
struct FaultDecision: Equatable, Sendable {
  /// How long it waits before it is handled.
  var delay = Duration.zero
  /// What happens to the server before it is handled.
  var happenings: [FaultHappening] = []
  /// What answers it instead of its handler.
  var reply: FaultReply?
  /// What is changed in its answer.
  var changes: [FaultChange] = []
  /// How long its answer waits after it was committed.
  var hold = Duration.zero
  /// Whether its answer is lost.
  var isLost = false
  /// The names of the faults, for the log and the metrics.
  var names: [String] = []

  /// Adds what a rule does that hits the request.
  mutating func add(_ rule: FaultRule) {
    names.append(rule.action.name)
    switch rule.action {
    case .delay(let duration): delay += duration
    case .hold(let duration): hold += duration
    case .drop: reply = .drop
    case .lose: isLost = true
    case .status(let status):
      reply = .status(status, retryAfter: rule.retryAfter, code: rule.code)
    case .html(let status): reply = .html(status)
    case .redirect(let url): reply = .redirect(url)
    case .strip(let name): changes.append(.strip(name))
    case .disguise(let disguise): changes.append(.disguise(disguise))
    case .cookie(let cookie): changes.append(.cookie(cookie))
    case .happening(let happening): happenings.append(happening)
    }
  }
}

/// An answer instead of the handler's.
enum FaultReply: Equatable, Sendable {
  case drop
  case status(Int, retryAfter: RetryAfter?, code: String?)
  case html(Int)
  case redirect(String)
}

/// A change of the handler's answer.
enum FaultChange: Equatable, Sendable {
  case strip(String)
  case disguise(TokenDisguise)
  case cookie(String)
}

extension FaultAction {
  /// Its name in a plan.
  var name: String {
    switch self {
    case .delay: "delay"
    case .hold: "hold"
    case .drop: "drop"
    case .lose: "lose"
    case .status: "status"
    case .html: "html"
    case .redirect: "redirect"
    case .strip: "strip"
    case .disguise: "disguise"
    case .cookie: "cookie"
    case .happening(.expire): "expire"
    case .happening(.revoke): "revoke"
    case .happening(.skew): "skew"
    case .happening(.drain): "drain"
    case .happening(.restartRealtime): "restart-realtime"
    }
  }
}
