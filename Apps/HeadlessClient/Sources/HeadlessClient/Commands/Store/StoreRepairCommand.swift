internal import AuthNetworking
internal import SecureStorage

/// `store repair`.
package enum StoreRepairCommand: Command {
  package static let spec = CommandSpec(
    "store repair",
    summary: "make a damaged store readable again, and name what is lost",
    details: [
      "Every value that can be proved to be the last one stays, and so does the session; the keys "
        + "of the others are printed, or their number where even the keys are lost, and then there "
        + "are no such entries any more. A copy of the damaged files is kept first, and nothing is "
        + "done where it cannot be made; logout wipes the session in it, too. A store that is sound "
        + "is left as it is.",
      "Where the last changes are missing as a whole, what was before them stays, and nobody is "
        + "signed in: an older session may have been used up.",
    ],
    examples: ["store repair", "store repair --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let console = context.console
    let work = UnstoppableWork(
      "the repair",
      ifCutShort: "The store is as it was or repaired; store repair once more says which",
      on: console
    )
    let repair = try await work.run(with: context.interruptions) {
      () async throws(ClientError) -> StoreRepair in
      try await context.client.repair()
    }
    let lost = repair.lost.map { "\n  \(Printable.text($0))" }.joined()
    let text =
      repair.aside == nil
      ? "Nothing is damaged: \(Counted.text(repair.readable, "value")) verified"
      : "\(Counted.text(repair.readable, "value")) readable, \(repair.lost.count) lost" + lost
    try console.result(
      .members([
        "repaired": .integer(repair.readable), "lost": .array(repair.lost.map(JSONValue.string)),
        "aside": repair.aside.map(JSONValue.string),
      ]),
      text
    )
    guard let aside = repair.aside else { return }
    console.note(
      "A copy of the damaged files lies in \(aside), with the session until the next logout; "
        + "remove it once nothing is missed"
    )
  }
}
