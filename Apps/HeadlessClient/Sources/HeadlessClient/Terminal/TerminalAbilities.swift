/// What the terminal understands, as far as `TERM` says it.
///
/// A terminal that is `dumb`, or that nobody has named, is given lines and nothing that would have
/// to move its cursor.
struct TerminalAbilities: Equatable {
  /// Whether a line can be written over, and a screen drawn.
  let movesCursor: Bool
  /// Whether it is to be given colours.
  let hasColors: Bool

  /// What an environment says.
  init(environment: [String: String]) {
    let name = environment["TERM"] ?? ""
    movesCursor = !name.isEmpty && name != "dumb"
    hasColors = movesCursor && (environment["NO_COLOR"] ?? "").isEmpty
  }
}
