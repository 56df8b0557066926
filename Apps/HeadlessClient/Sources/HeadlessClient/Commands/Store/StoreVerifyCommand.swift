internal import AuthNetworking
internal import SecureStorage

/// `store verify`.
package enum StoreVerifyCommand: Command {
  package static let spec = CommandSpec(
    "store verify",
    summary: "open every value and name what is damaged",
    examples: ["store verify --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let console = context.console
    let store: SecureStore?
    do {
      store = try await context.client.storeForReading()
    } catch {
      // The line comes in any case: a script reads it before the status.
      if [.damaged, .tampered].contains(error.code) { try report(0, ["<store>"], on: console) }
      throw error
    }
    let bar = ProgressBar("verifying", on: console)
    let result = try await withStorageErrors { () async throws(StorageError) in
      try await store?.verify { bar.show(done: $0.done, of: $0.total) }
    }
    let damaged = result?.damaged ?? []
    let verified = result?.verified ?? 0
    let listed = damaged.isEmpty ? try? store?.info().entries : nil
    try report(verified, damaged, own: listed.map { verified - $0 } ?? 0, on: console)
    guard damaged.isEmpty else {
      throw ClientError(
        .damaged,
        damaged.count == 1
          ? "A part of the store is damaged" : "\(damaged.count) parts of the store are damaged",
        advice: "store repair keeps all that is not, after making a copy; store reset starts afresh"
      )
    }
  }

  private static func report(
    _ verified: Int,
    _ damaged: [String],
    own: Int = 0,
    on console: Console
  ) throws(ClientError) {
    try console.result(
      .members([
        "verified": .integer(verified), "damaged": .array(damaged.map(JSONValue.string)),
      ]),
      "\(Counted.text(verified, "value")) verified, \(damaged.count) damaged"
        + (own > 0 ? "; \(own) of them the client's own, which store list does not show" : "")
        + damaged.map { "\n  \(Printable.text($0))" }.joined()
    )
  }
}
