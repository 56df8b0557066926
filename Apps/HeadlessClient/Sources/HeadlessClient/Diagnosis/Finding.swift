/// What a check found.
struct Finding {
  /// What was found, for people.
  var detail: String
  /// What to do, or what to know.
  var remedy: Remedy?
  /// Why the check failed; nil where all is well.
  var failure: ClientError?

  /// Whether nothing was looked at: there is nothing to look at, or something stands before it.
  private(set) var isSkipped = false

  /// Nothing could be looked at, which is no failure and no success.
  static func skipped(_ why: String, _ remedy: Remedy? = nil) -> Finding {
    var finding = Finding("skipped: \(why)", remedy)
    finding.isSkipped = true
    return finding
  }

  /// All is well.
  init(_ detail: String, _ remedy: Remedy? = nil) {
    self.detail = detail
    self.remedy = remedy
  }

  /// Something is not.
  init(_ failure: ClientError, _ remedy: Remedy? = nil) {
    self.failure = failure
    self.detail = failure.message
    self.remedy = remedy ?? failure.advice.map { Remedy($0) }
  }
}
