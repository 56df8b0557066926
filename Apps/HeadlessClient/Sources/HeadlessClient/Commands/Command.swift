/// One command: its line of the table, and what it does.
package protocol Command {
  /// What parsing, help and documentation say about it.
  static var spec: CommandSpec { get }

  /// Whether a person sees that the network is waited for; not where the command draws the
  /// terminal itself. Yes, unless said otherwise.
  static var showsWaiting: Bool { get }

  /// Whether it works in the profile that the options name, which then keeps its name and place
  /// until the command is done. Yes, unless said otherwise.
  static var usesProfile: Bool { get }

  /// Does it. Results go to the context's console.
  ///
  /// - Throws: ``ClientError``, which the caller prints and turns into the exit status.
  static func run(_ context: CommandContext) async throws(ClientError)
}

extension Command {
  /// Yes.
  package static var usesProfile: Bool { true }

  /// Yes.
  package static var showsWaiting: Bool { true }
}
