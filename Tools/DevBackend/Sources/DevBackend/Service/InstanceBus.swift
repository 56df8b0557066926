/// Carries what happens on one instance to every other that serves the same database.
///
/// The database is the truth, and what is published is committed before; the bus makes it known
/// at once. What it loses is found by ``DatabaseLook``, a little later.
package protocol InstanceBus: Sendable {
  /// Begins to hear; may block until it is known whether anything can be heard.
  ///
  /// - Parameter hear: called with each piece of news of others, one at a time and from any thread
  ///   that may block. False means that it could not be acted on: say it again.
  func join(_ hear: @escaping @Sendable (InstanceNews) -> Bool)

  /// Tells every other instance, without waiting; a revocation that cannot be delivered now is
  /// delivered later.
  func publish(_ news: InstanceNews)

  /// Writes down again, without waiting, which sessions have ended, for other services that look
  /// there; what it was written on before may have been lost.
  func restore(_ ended: [Revoked])

  /// Stops to hear; what comes later is heard by nobody here.
  func leave()
}

/// What one instance tells the others, or is told about them.
package enum InstanceNews: Equatable, Sendable {
  /// These have just ended.
  case revoked([Revoked])
  /// A group has new messages.
  case messages(group: String)
  /// Somebody types.
  case typing(TypingSignal)
  /// What happened to sessions, for the others' inspectors.
  case events([JournalNote])
  /// From now on some may be missed, so that no token is let in until ``hearing``.
  case deaf
  /// All are heard again; those of meanwhile are in the database.
  case hearing
}
