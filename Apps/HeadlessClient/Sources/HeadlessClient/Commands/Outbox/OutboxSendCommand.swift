internal import GroupMessages

/// `outbox send`.
package enum OutboxSendCommand: Command {
  package static let spec = CommandSpec(
    "outbox send",
    summary: "send the messages that wait",
    details: [
      "Those of a group in the order of writing, each once: a message that the server has already, "
        + "though its answer was lost, is not sent a second time. Prints each as messages send does. "
        + "What cannot be sent goes on waiting, and the status says why: 75 for what passes by "
        + "itself, 69 where the server has refused one for good."
    ],
    examples: ["outbox send", "outbox send --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let waiting = try await context.client.unsentMessages()
    let messages = try await context.client.groupMessages()
    let delivery = try await withMessageErrors { () async throws(MessageError) in
      try await messages.outbox.sendWaiting()
    }
    for message in delivery.sent {
      let report = MessageReport(message, isMine: true)
      try context.console.result(report.json, report.text(context.console))
    }
    guard !delivery.failures.isEmpty else { return }
    // The first one in the order of the groups stands for all; the list has the others.
    let first = delivery.failures.min { $0.key < $1.key }
    guard let first else { return }
    var error = ClientError(first.value)
    error.message = "Not all was sent. \(first.key): \(error.message)"
    if error.code == .sessionEnded || error.code == .notSignedIn {
      // They were of the session, and went with it (R4).
      let lost = waiting.values.reduce(0) { $0 + $1.count } - delivery.sent.count
      error.advice =
        "Sign in with login. \(Counted.text(max(lost, 1), "message")) that nobody has got: dropped "
        + "with the session"
    } else {
      error.advice = "outbox list shows what is left; outbox send tries again"
    }
    throw error
  }
}
