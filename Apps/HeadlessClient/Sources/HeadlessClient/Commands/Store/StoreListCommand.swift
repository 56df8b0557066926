internal import AuthNetworking
internal import SecureStorage

/// `store list [--values]`.
package enum StoreListCommand: Command {
  package static let spec = CommandSpec(
    "store list",
    options: [OptionSpec("values", .flag, "print the values, too")],
    summary: "list the keys",
    examples: ["store list", "store list --values --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    guard let store = try await context.client.storeForReading() else { return }
    let withValues = context.invocation.isOn("values")
    let keys = try withStorageErrors { () throws(StorageError) in try store.keys() }
    var failures: [ClientError] = []
    let widest = keys.map { ScreenText.columns(of: Printable.text($0)) }.max() ?? 0
    let style = context.console.style
    let keyWidth = style.resultsAreLive ? min(widest, style.width / 2) : nil
    for key in keys.sorted() {
      guard withValues else {
        try context.console.result(.members(["key": .string(key)]), Printable.text(key))
        continue
      }
      let found: [UInt8]?
      do throws(StorageError) {
        found = try store.data(forKey: key)
      } catch  where [.damaged, .tampered].contains(error.code) {
        // One damaged value does not hide the others.
        failures.append(ClientError(error))
        continue
      } catch {
        throw ClientError(error)
      }
      // A key that another process removed meanwhile is left out.
      guard let value = found else { continue }
      try context.console.result(
        StoreEntry.json(key: key, value: value),
        StoreEntry.text(key: key, value: value, keyWidth: keyWidth, width: style.width)
      )
    }
    guard let first = failures.first else { return }
    guard failures.count > 1 else { throw first }
    throw ClientError(
      first.code,
      "\(failures.count) values cannot be read and were left out",
      advice: "store verify names them"
    )
  }
}
