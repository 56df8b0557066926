/// One bucket of attempts that instances share.
package struct SharedBucket: Equatable, Sendable {
  /// Names it among all; nothing that a client typed can be read from it.
  package let key: String
  /// The time in which one attempt comes back, in milliseconds.
  package let share: Int64
  /// The time in which an empty bucket fills.
  package let whole: Int64

  init(key: String, rate: AttemptBucket.Rate) {
    (self.key, share, whole) = (key, rate.share, rate.whole)
  }
}
