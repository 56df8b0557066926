/// What a check found.
struct Finding {
  /// What was found, for people.
  var detail: String
  /// What to do, or what to know.
  var advice: String?
  /// Why the check failed; nil where all is well.
  var failure: ClientError?

  /// Whether nothing was looked at, since there is nothing to look at yet.
  private(set) var isUnchecked = false

  /// Nothing could be looked at, which is no failure.
  static func unchecked(_ why: String, advice: String? = nil) -> Finding {
    var finding = Finding("not checked: \(why)", advice: advice)
    finding.isUnchecked = true
    return finding
  }

  /// All is well.
  init(_ detail: String, advice: String? = nil) {
    self.detail = detail
    self.advice = advice
  }

  /// Something is not.
  init(_ failure: ClientError, advice: String? = nil) {
    self.failure = failure
    self.detail = failure.message
    self.advice = failure.advice ?? advice
  }
}
