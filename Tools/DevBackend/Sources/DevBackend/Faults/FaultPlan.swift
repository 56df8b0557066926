/// What goes wrong, decided request by request: pure, without clock or I/O.
///
/// A plan is written as rules with `;` between them, each a fault with its conditions:
/// `lose,path=/auth/refresh,times=1;status:503,probability=0.1,seed=7`. `dev-backend --help` and
/// ``FaultPlan/guide`` list the faults.
public struct FaultPlan: Equatable, Sendable {
  private(set) var rules: [FaultRule]

  /// More rules than this are refused.
  static let maximumRules = 100

  /// A plan without faults.
  public init() { rules = [] }

  /// The plan of a text.
  ///
  /// - Throws: ``FaultPlanError`` that says which part is wrong, and what would be right.
  public init(_ text: String) throws(FaultPlanError) {
    rules = []
    for part in text.split(separator: ";") {
      let rule = part.trimmingSpaces()
      if !rule.isEmpty { rules.append(try FaultParser(rule).rule()) }
    }
    try Self.check(rules)
  }

  /// Adds the rules of another plan after its own.
  ///
  /// - Throws: ``FaultPlanError`` where there are too many; nothing is added then.
  mutating func add(_ other: FaultPlan) throws(FaultPlanError) {
    let all = rules + other.rules
    try Self.check(all)
    rules = all
  }

  /// What happens at once, since it waits for no request; each of it once.
  ///
  /// Of the skews only the last stays among the rules, as long as it moves the clock.
  mutating func takeImmediate() -> [FaultHappening] {
    var taken: [FaultHappening] = []
    for index in rules.indices where !rules[index].waitsForRequest && rules[index].applied == 0 {
      guard case .happening(let happening) = rules[index].action else { continue }
      rules[index].happened()
      taken.append(happening)
    }
    let last = rules.lastIndex { $0.skewAtOnce != nil }
    for index in rules.indices.reversed() {
      guard let skew = rules[index].skewAtOnce, skew == .zero || index != last else { continue }
      rules.remove(at: index)
    }
    return taken
  }

  /// What becomes of a request; counts.
  mutating func decide(_ request: FaultRequest) -> FaultDecision {
    var decision = FaultDecision()
    for index in rules.indices {
      // Only one rule answers; the count of a later one is left for a later request.
      if decision.reply != nil, rules[index].replies { continue }
      if rules[index].hits(request) { decision.add(rules[index]) }
    }
    return decision
  }

  private static func check(_ rules: [FaultRule]) throws(FaultPlanError) {
    guard rules.count <= maximumRules else {
      throw FaultPlanError("there are \(rules.count) faults; at most \(maximumRules) are taken")
    }
  }
}

/// Why a plan cannot be taken.
public struct FaultPlanError: Error, Equatable, Sendable {
  /// What is wrong, and what would be right, for people.
  public let message: String

  init(_ message: String) { self.message = message }
}

extension FaultPlanError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension FaultRule {
  /// By how much it moves the clock without waiting for a request; nil where it does not.
  var skewAtOnce: Duration? {
    guard !waitsForRequest, case .happening(.skew(let duration)) = action else { return nil }
    return duration
  }

  /// Whether it answers instead of the handler.
  var replies: Bool {
    switch action {
    case .drop, .status, .html, .redirect: true
    default: false
    }
  }
}

extension StringProtocol {
  /// Without spaces at both ends.
  func trimmingSpaces() -> String {
    let start = drop { $0 == " " }
    return String(start.reversed().drop { $0 == " " }.reversed())
  }
}
