/// Carries the ends of sessions to every instance that serves the same database.
///
/// The database is the truth, and a revocation is committed before it is published; the bus makes
/// it known at once to instances that let tokens in without asking the database.
protocol RevocationBus: Sendable {
  /// Begins to hear.
  ///
  /// - Parameter hear: called with each piece of news, this instance's own too, one at a time and
  ///   from any thread that may block. False means that it could not be acted on: say it again.
  func join(_ hear: @escaping @Sendable (RevocationNews) -> Bool)

  /// Tells every instance; what cannot be delivered now is kept, or the others told that they
  /// missed something.
  func publish(_ revoked: [Revoked])

  /// Stops to hear; what comes later is heard by nobody here.
  func leave()
}

/// What an instance is told about sessions that ended.
enum RevocationNews: Equatable, Sendable {
  /// These have just ended.
  case revoked([Revoked])
  /// From now on some may be missed, so that no token is let in until ``hearing``.
  case deaf
  /// All are heard again; those of meanwhile are in the database.
  case hearing
}
