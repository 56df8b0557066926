/// A claim of the demo that turned out not to hold.
struct DemoFailure: Error {
  /// What was claimed, and what was found instead.
  let message: String

  /// A failure of a claim.
  init(_ message: String) { self.message = message }
}

/// Holds a claim against what was found.
func expect(_ isTrue: Bool, _ claim: @autoclosure () -> String) throws(DemoFailure) {
  guard isTrue else { throw DemoFailure(claim()) }
}
