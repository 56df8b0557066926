/// What the process says when it ends (sysexits where there is one).
package struct CommandStatus: RawRepresentable, Hashable, Sendable {
  /// The number that the shell sees.
  package let rawValue: Int32

  /// A status by its number.
  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// Done.
  package static let done = CommandStatus(rawValue: 0)
  /// A defect of the client itself.
  package static let defect = CommandStatus(rawValue: 1)
  /// The command line is wrong.
  package static let usage = CommandStatus(rawValue: 64)
  /// The input is invalid, found before the network was asked.
  package static let invalidInput = CommandStatus(rawValue: 65)
  /// The server refused the request.
  package static let refused = CommandStatus(rawValue: 69)
  /// Storage or vault failed.
  package static let storage = CommandStatus(rawValue: 74)
  /// Temporary: try again later.
  package static let temporary = CommandStatus(rawValue: 75)
  /// Not signed in, wrong credentials, or the session has ended.
  package static let notSignedIn = CommandStatus(rawValue: 77)
  /// Interrupted by the user.
  package static let interrupted = CommandStatus(rawValue: 130)

  /// What scripts meet in a run of many requests: the first of these that occurred is the run's.
  private static let worstFirst: [CommandStatus] = [.storage, .notSignedIn, .temporary, .refused]

  /// How much worse than others this status is; lower is worse.
  package var severity: Int {
    CommandStatus.worstFirst.firstIndex(of: self) ?? CommandStatus.worstFirst.count
  }
}
