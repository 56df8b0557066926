internal import AuthNetworking
internal import GRPC
internal import SessionModels

/// `rpc PATH …`: one gRPC call with raw message bytes.
package enum RPCCommand: Command {
  package static let spec = CommandSpec(
    "rpc",
    operands: ["PATH"],
    options: [
      OptionSpec("message-hex", .text("HEX"), "the request's message", default: "an empty one"),
      OptionSpec("metadata", .text("'NAME: VALUE'"), repeats: true, "an entry of the metadata"),
      OptionSpec("deadline", .seconds("SECONDS"), "the most time for the whole call"),
      OptionSpec("gzip", .flag, "compress the message"),
      OptionSpec("no-token", .flag, "send no token; needs nobody signed in"),
    ],
    absentOptions: ["messages"],
    summary: "make one gRPC call, unary or server-streaming",
    details: [
      "PATH is /package.Service/Method. Each answer's message is printed in hexadecimal as it "
        + "comes, and then the status. Values of names that end in -bin are base64.",
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
    let outcome = await call(input, on: connection, context.console)
    try await context.client.concealHeldSecretsIfOpen()
    if let failure = outcome.printFailure { throw failure }
    if outcome.wasCalled {
      let report = RPCReport(outcome, redactor: context.console.redactor(cutsUnknownTokens: false))
      try context.console.result(report.json, report.text)
    }
    if let failure = outcome.failure { throw failure }
  }

  private static func call(
    _ input: RPCInput,
    on connection: RealtimeConnection,
    _ console: Console
  ) async -> RPCOutcome {
    var options = input.options
    if !connection.carriesToken { options.carriesToken = false }
    var call: GRPCCall?
    do throws(GRPCError) {
      let begun = try await connection.channel.serverStreaming(
        input.path,
        message: input.message,
        options: options
      )
      call = begun
      while let message = try await begun.next() {
        do throws(ClientError) {
          let hex = Hexadecimal.text(message)
          try console.result(.members(["message": .string(hex)]), hex)
        } catch {
          begun.cancel()
          return RPCOutcome(printFailure: error)
        }
      }
      return RPCOutcome(metadata: begun.metadata, trailers: begun.trailers)
    } catch {
      return RPCOutcome(error, wasSent: call?.token != nil)
    }
  }
}
