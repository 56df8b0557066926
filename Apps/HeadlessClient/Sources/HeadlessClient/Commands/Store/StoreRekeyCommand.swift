internal import AuthNetworking
internal import SecureStorage

/// `store rekey [--vault NAME] [--cipher NAME]`.
package enum StoreRekeyCommand: Command {
  package static let spec = CommandSpec(
    "store rekey",
    options: [
      OptionSpec(
        "cipher",
        .choice("NAME", CipherName.known.map(\.rawValue)),
        "what seals from now on",
        default: "the present one"
      )
    ],
    summary: "seal everything with a new key, in the vault that --vault names",
    details: [
      "--vault auto names the best one that works. The store can be used meanwhile, and a crash "
        + "leaves every value readable. A passphrase to move to is asked for, or read from "
        + "HEADLESS_CLIENT_PASSPHRASE. Ctrl-C lets it finish where that takes a moment, and says "
        + "whether it did."
    ],
    examples: [
      "store rekey", "store rekey --vault passphrase", "store rekey --cipher aes-256-gcm",
    ]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let console = context.console
    let bar = ProgressBar("rekeying", on: console)
    let cipher = context.invocation.value("cipher").map { CipherName(rawValue: $0) }
    let work = UnstoppableWork(
      "the change of key",
      ifCutShort: "Every value can be read; store rekey once more completes it",
      on: console
    )
    let count = try await work.run(with: context.interruptions) {
      () async throws(ClientError) -> Int in
      try await context.client.rekey(cipher: cipher) { bar.show(done: $0.done, of: $0.total) }
    }
    try console.result(
      .members(["rekeyed": .integer(count)]),
      "\(Counted.text(count, "value")) sealed with a new key"
    )
  }
}
