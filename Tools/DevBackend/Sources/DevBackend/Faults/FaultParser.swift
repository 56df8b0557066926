/// Reads one rule, `fault[:value][,condition=value]…`.
struct FaultParser {
  private let text: String
  private let name: String
  private let value: String?
  private let conditions: [String]

  init(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      .map { $0.trimmingSpaces() }
    let head = parts[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    self.text = text
    name = String(head[0])
    value = head.count > 1 ? String(head[1]) : nil
    conditions = Array(parts.dropFirst())
  }

  func rule() throws(FaultPlanError) -> FaultRule {
    var rule = FaultRule(text: text, action: try action())
    var seed: UInt64 = 0
    for condition in conditions {
      let sides = condition.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, !sides[1].isEmpty else {
        throw wrong("'\(condition)' is no condition; write path=/auth/refresh or times=1")
      }
      let setting = String(sides[1])
      switch sides[0] {
      case "path": rule.path = try path(setting)
      case "method": rule.method = setting.uppercased()
      case "times": rule.times = try count(setting, "times", least: 1)
      case "after": rule.after = try count(setting, "after", least: 0)
      case "probability": rule.probability = try probability(setting)
      case "seed": seed = UInt64(try count(setting, "seed", least: 0))
      case "retry-after": rule.retryAfter = try retryAfter(setting, rule.action)
      case "code": rule.code = try code(setting, rule.action)
      default:
        throw wrong(
          "no condition is called '\(sides[0])'; there are path, method, times, after, "
            + "probability, seed, and with a status retry-after and code"
        )
      }
    }
    rule.random = SeededRandom(seed: seed)
    return try finished(rule)
  }

  /// A happening without conditions waits for no request, and with them it happens once.
  private func finished(_ rule: FaultRule) throws(FaultPlanError) -> FaultRule {
    guard case .happening(let happening) = rule.action else { return rule }
    var rule = rule
    if happening == .revoke {
      guard conditions.contains(where: { $0.hasPrefix("path=") }) else {
        throw wrong("say whose session: revoke,path=/auth/me ends that of the next such request")
      }
    } else {
      rule.waitsForRequest = !conditions.isEmpty
    }
    if rule.times == nil { rule.times = 1 }
    return rule
  }

  private func action() throws(FaultPlanError) -> FaultAction {
    switch name {
    case "delay": return .delay(try duration())
    case "hold": return .hold(try duration())
    case "drop": return try bare(.drop)
    case "lose": return try bare(.lose)
    case "status": return .status(try status(from: 300, example: "503"))
    case "html": return .html(value == nil ? 502 : try status(from: 200, example: "502"))
    case "redirect": return .redirect(try url())
    case "strip": return .strip(try needed("the name of a member, such as refresh_token"))
    case "disguise": return .disguise(try disguise())
    case "cookie": return .cookie(try cookie())
    case "expire": return try bare(.happening(.expire))
    case "revoke": return try bare(.happening(.revoke))
    case "skew": return .happening(.skew(try duration(signed: true)))
    case "drain": return .happening(.drain(value == nil ? .seconds(5) : try duration()))
    case "restart-realtime": return try bare(.happening(.restartRealtime))
    default:
      let names = FaultPlan.faults.map(\.name).joined(separator: ", ")
      throw FaultPlanError("no fault is called '\(name)'; there are \(names)")
    }
  }

  private func wrong(_ message: String) -> FaultPlanError {
    FaultPlanError("in '\(text)': \(message)")
  }

  private func bare(_ action: FaultAction) throws(FaultPlanError) -> FaultAction {
    guard value == nil else { throw wrong("\(name) takes no value") }
    return action
  }

  private func needed(_ what: String) throws(FaultPlanError) -> String {
    guard let value, !value.isEmpty else { throw wrong("\(name) needs \(what), after a colon") }
    return value
  }

  private func duration(signed: Bool = false) throws(FaultPlanError) -> Duration {
    let text = try needed("a time, such as 500ms, 2s, 5m, 1h or 3d")
    if let duration = Self.duration(text), signed || duration >= .zero { return duration }
    throw wrong("'\(text)' is no time\(signed ? "" : " to wait"); write 500ms, 2s, 5m, 1h or 3d")
  }

  /// `-1h` and the like; at most ten years either way.
  private static func duration(_ text: String) -> Duration? {
    let units: [(String, Int64)] = [
      ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]
    for (unit, milliseconds) in units where text.hasSuffix(unit) {
      guard let number = Int64(text.dropLast(unit.count)) else { continue }
      let (product, overflows) = number.multipliedReportingOverflow(by: milliseconds)
      guard !overflows, abs(product) <= 315_360_000_000 else { return nil }
      return .milliseconds(product)
    }
    return nil
  }

  private func status(from least: Int, example: String) throws(FaultPlanError) -> Int {
    let text = try needed("a status, such as \(example)")
    if let status = Int(text), (least...599).contains(status) { return status }
    throw wrong("'\(text)' is no status from \(least) to 599; write \(name):\(example)")
  }

  private func url() throws(FaultPlanError) -> String {
    let text = try needed("an address, such as http://localhost:4001/")
    if text.hasPrefix("http://") || text.hasPrefix("https://"), Self.isPlain(text) { return text }
    throw wrong("'\(text)' is no address; write redirect:http://localhost:4001/")
  }

  private func cookie() throws(FaultPlanError) -> String {
    let text = try needed("a name and a value, such as trap=1")
    if text.contains("="), !text.hasPrefix("="), Self.isPlain(text) { return text }
    throw wrong("'\(text)' is no cookie; write cookie:trap=1")
  }

  private func disguise() throws(FaultPlanError) -> TokenDisguise {
    switch try needed("what tokens look like: exp=1e300, no-exp, opaque or two-parts") {
    case "no-exp": return .withoutExpiry
    case "opaque": return .opaque
    case "two-parts": return .twoParts
    case let text where text.hasPrefix("exp="):
      let expiry = String(text.dropFirst(4))
      if JSONValue(parsing: Array("[\(expiry)]".utf8)) != nil { return .expiry(expiry) }
      throw wrong("'\(expiry)' is no JSON value; write disguise:exp=1e300 or disguise:exp=\"soon\"")
    case let text:
      throw wrong("'\(text)' is no disguise; there are exp=…, no-exp, opaque and two-parts")
    }
  }

  private func path(_ text: String) throws(FaultPlanError) -> PathPattern {
    guard text.hasPrefix("/") || text.hasPrefix("*") else {
      throw wrong("a path begins with / or *, not with '\(text.prefix(1))'")
    }
    return PathPattern(text)
  }

  private func count(_ text: String, _ name: String, least: Int) throws(FaultPlanError) -> Int {
    if let count = Int(text), (least...1_000_000_000).contains(count) { return count }
    throw wrong("\(name) must be a whole number from \(least) on, not '\(text)'")
  }

  private func probability(_ text: String) throws(FaultPlanError) -> Double {
    if let value = Double(text), value > 0, value <= 1 { return value }
    throw wrong("probability must be above 0 and at most 1, not '\(text)'")
  }

  private func retryAfter(
    _ text: String,
    _ action: FaultAction
  ) throws(FaultPlanError) -> RetryAfter {
    guard case .status = action else { throw wrong("only a status has a retry-after") }
    let isDate = text.hasPrefix("date+")
    if let seconds = Int64(isDate ? String(text.dropFirst(5)) : text),
      (0...1_000_000_000).contains(seconds)
    {
      return isDate ? .date(seconds) : .seconds(seconds)
    }
    throw wrong("retry-after is seconds, 30, or a date so many seconds ahead, date+30")
  }

  private func code(_ text: String, _ action: FaultAction) throws(FaultPlanError) -> String {
    guard case .status = action else { throw wrong("only a status has a code") }
    return text
  }

  /// Whether a text may stand in a header.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}
