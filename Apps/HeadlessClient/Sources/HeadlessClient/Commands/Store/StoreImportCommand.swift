internal import AuthNetworking
internal import SecureStorage

/// `store import (--from HOME [--from-profile NAME] | -)`.
package enum StoreImportCommand: Command {
  /// The most that is read from standard input, all of which is held in memory.
  private static let longest = 1 << 29

  package static let spec = CommandSpec(
    "store import",
    optionalOperands: ["-"],
    options: [
      OptionSpec("from", .directory("HOME"), "the home of the store to move values from"),
      OptionSpec("from-profile", .profile("NAME"), "its profile", default: "default"),
      OptionSpec("replace", .flag, "take the other value where a key has two"),
    ],
    summary: "move values from another home, or read them from standard input",
    details: [
      "Everything is copied and read back before it is deleted there; a failure before that leaves "
        + "the other store whole, and a second run finishes. A key that has another value here is "
        + "an error before anything is changed. The session comes along where nobody is signed in "
        + "here. The other store's passphrase is asked for, or read from "
        + "HEADLESS_CLIENT_FROM_PASSPHRASE.",
      "With - lines of JSON are read, each {\"key\": …, \"value\": …} or {\"key\": …, "
        + "\"base64\": …}: what store list --values --json prints.",
    ],
    examples: [
      "store import --from ~/old-home", "store import --from ~/old-home --from-profile work",
      "store import - < values.jsonl",
    ]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let invocation = context.invocation
    let bar = ProgressBar("importing", on: context.console)
    let replacing = invocation.isOn("replace")
    let work = UnstoppableWork(
      "the import",
      ifCutShort: "Nothing is lost; the same command once more completes it",
      on: context.console
    )
    let outcome: ImportOutcome
    switch (invocation.value("from"), invocation.operand(0)) {
    case (let home?, nil):
      let source = try profile(home, invocation.value("from-profile"))
      outcome = try await work.run(with: context.interruptions) {
        () async throws(ClientError) -> ImportOutcome in
        try await context.client.importStore(of: source, replacing: replacing) {
          bar.show(done: $0.done, of: $0.total)
        }
      }
    case (nil, "-"):
      guard invocation.value("from-profile") == nil else {
        throw .usage("--from-profile goes with --from")
      }
      let lines = try context.input.standardInput(atMost: longest)
      outcome = try await work.run(with: context.interruptions) {
        () async throws(ClientError) -> ImportOutcome in
        try await context.client.importLines(lines, replacing: replacing) {
          bar.show(done: $0.done, of: $0.total)
        }
      }
    default:
      throw .usage("store import needs either --from HOME or -")
    }
    try context.console.result(
      .members([
        "imported": .integer(outcome.values),
        "session": outcome.movedSession ? .bool(true) : nil,
      ]),
      "\(Counted.text(outcome.values, "value")) imported"
        + (outcome.movedSession ? ", and the session" : "")
    )
  }

  private static func profile(
    _ home: String,
    _ name: String?
  ) throws(ClientError) -> ProfileDirectory {
    guard !home.isEmpty else { throw .usage("--from needs a directory") }
    let profile = name.map { ProfileName($0) } ?? .standard
    guard let profile else { throw .usage("--from-profile is not the name of a profile") }
    let directory = HomeDirectory(path: FilePath.absolute(home))
    return ProfileDirectory(path: directory.profileDirectory(profile))
  }
}
