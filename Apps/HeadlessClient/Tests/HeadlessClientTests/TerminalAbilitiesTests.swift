import Testing

@testable import HeadlessClient

/// What a terminal is given, by its name.
struct TerminalAbilitiesTests {
  @Test(arguments: [
    (nil, nil, false, false), ("", nil, false, false), ("dumb", nil, false, false),
    ("dumb", "", false, false), ("xterm-256color", nil, true, true), ("vt100", "", true, true),
    ("xterm", "1", true, false), (nil, "1", false, false),
  ])
  func `a terminal without a name, or a dumb one, gets no escape sequence`(
    term: String?,
    noColor: String?,
    movesCursor: Bool,
    hasColors: Bool
  ) {
    var environment: [String: String] = [:]
    environment["TERM"] = term
    environment["NO_COLOR"] = noColor
    let abilities = TerminalAbilities(environment: environment)
    #expect(abilities.movesCursor == movesCursor)
    #expect(abilities.hasColors == hasColors)
  }
}
