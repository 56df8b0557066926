internal import AuthNetworking
internal import GRPC

/// `rpc PATH …`: one gRPC call with raw message bytes.
package enum RPCCommand: Command {
  package static let spec = CommandSpec(
    "rpc",
    operands: ["PATH"],
    options: [
      OptionSpec(
        "message-hex",
        .text("HEX"),
        repeats: true,
        "a message of the request",
        default: "an empty one"
      ),
      OptionSpec("messages", .text("-"), "send each line of standard input as a message"),
      OptionSpec("metadata", .text("'NAME: VALUE'"), repeats: true, "an entry of the metadata"),
      OptionSpec("deadline", .seconds("SECONDS"), "the most time for the whole call"),
      OptionSpec("gzip", .flag, "compress the messages"),
      OptionSpec("no-token", .flag, "send no token; works signed out too"),
    ],
    summary: "make one gRPC call of any kind",
    details: [
      "PATH is /package.Service/Method. Each answer's message is printed in hexadecimal as it "
        + "comes, and then the status. Values of names that end in -bin are base64.",
      "--messages - sends one hexadecimal message a line, each as it comes, a blank line as an "
        + "empty message, and ends the request with the input. What --message-hex names goes "
        + "out first. Together they make calls of all four kinds; the server knows which it is.",
      "The token goes to the realtime endpoint that was named at sign-in, and to no other.",
    ],
    examples: [
      "rpc /skyconnect.realtime.v1.Realtime/Send --message-hex "
        + "0a0767656e6572616c1203632d311a024849",
      "rpc /skyconnect.realtime.v1.Realtime/Send --gzip --deadline 2.5 --message-hex "
        + "0a0767656e6572616c1203632d321a024849",
    ]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let input = try RPCInput(context.invocation)
    let connection = try await context.client.realtime(
      carriesToken: input.options.carriesToken && !input.hasOwnAuthorization
    )
    let server = try context.client.knownRealtimeURL() ?? "the server"
    let outcome = await RPCCall(
      input,
      connection,
      to: server,
      context.console,
      context.input
    ).run()
    try await context.client.concealHeldSecretsIfOpen()
    if let failure = outcome.printFailure { throw failure }
    if outcome.wasCalled {
      let report = RPCReport(outcome, redactor: context.console.redactor(cutsUnknownTokens: false))
      try context.console.result(report.json, report.text)
    }
    if let failure = outcome.failure { throw failure }
  }
}
