internal import AuthNetworking

/// `request METHOD PATH …`: an authenticated request, or many.
package enum RequestCommand: Command {
  package static let spec = CommandSpec(
    "request",
    operands: ["METHOD", "PATH"],
    options: [
      OptionSpec("data", .text("JSON|@FILE|-"), "the body: JSON, a file, or standard input"),
      OptionSpec("upload", .file("FILE"), "the body: a file's bytes, read while they are sent"),
      OptionSpec(
        "output",
        .file("FILE"),
        "save the body of a 2xx answer there, whole or not at all"
      ),
      OptionSpec("header", .text("'NAME: VALUE'"), repeats: true, "a header field"),
      OptionSpec(
        "idempotency-key",
        .text("KEY|auto"),
        "let the server notice what it gets twice; auto makes a key for each request"
      ),
      OptionSpec("repeat", .integer("N", 1...1_000_000), "send it N times", default: "1"),
      OptionSpec(
        "concurrency",
        .integer("N", 1...1000),
        "have up to N of them under way at once",
        default: "1"
      ),
      OptionSpec("reveal", .flag, "print the client's own secrets, and new tokens, as they are"),
    ],
    summary: "send an authenticated request, or N of them",
    details: [
      "PATH is joined to the base URL, in KSN to its /api. An absolute URL of another origin gets "
        + "no token. Every answer is printed whatever its status; with a status of 400 or more an "
        + "error follows, and with --repeat the exit status is that of the worst answer.",
      "Calls to /auth/login, /auth/register, /auth/refresh and /auth/logout carry no token, and the "
        + "tokens in their answers are shown with --reveal only.",
      "--upload sends application/octet-stream unless --header 'Content-Type: …' says otherwise, and "
        + "the file must stay as it is until the answer is there. --output leaves no part of an "
        + "answer behind, has no --max-body, and prints how many bytes it saved. Both need a "
        + "--timeout that is long enough for all of it.",
      "With --idempotency-key a POST is sent again where the connection breaks under it, and the "
        + "server acts once, if it honours the key. Give the same KEY to repeat a request yourself.",
    ],
    examples: [
      "request GET /auth/me",
      "request GET /users/me --dialect ksn",
      "request POST /groups/general/messages "
        + "--data '{\"client_message_id\": \"c-1\", \"body\": \"Good morning\"}'",
      "request GET /auth/me --repeat 50 --concurrency 50 --json",
      "request PUT /photos/1 --upload photo.jpg --header 'Content-Type: image/jpeg' --timeout 600",
      "request GET /photos/1 --output photo.jpg --timeout 600",
    ]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let input = RequestInput(context)
    var request = try await input.request()
    request.onProgress = RequestProgress.handler(of: request, on: context.console)
    let controller = try await context.client.controller()
    let run = RequestRun(
      controller: controller,
      request: request,
      makesKeys: input.makesKeys,
      count: context.invocation.integer("repeat") ?? 1,
      concurrency: context.invocation.integer("concurrency") ?? 1
    )
    let reveals = context.invocation.isOn("reveal")
    var worst: ClientError?
    var counts: [String: Int] = [:]
    try await run.forEachAnswer { answer throws(ClientError) in
      let problem: ClientError?
      switch answer {
      case .success(let response):
        try await context.client.concealHeldSecrets()
        try print(response, request.destination, context.console, reveals: reveals)
        problem = RequestCommand.problem(with: response, controller)
        counts["\(response.status)", default: 0] += 1
      case .failure(let error):
        problem = ClientError(error)
        counts[error.code.rawValue, default: 0] += 1
      }
      if let problem, problem.exitStatus.severity < worst?.exitStatus.severity ?? .max {
        worst = problem
      }
      if run.count > 1 { context.console.progress(summary(counts, of: run.count)) }
    }
    context.console.clearLiveLine()
    if run.count > 1, !context.console.style.json {
      context.console.note(summary(counts, of: run.count))
    }
    if let worst { throw worst }
  }

  private static func print(
    _ response: APIResponse,
    _ destination: DownloadTarget?,
    _ console: Console,
    reveals: Bool
  ) throws(ClientError) {
    if !console.style.json { console.note("HTTP \(response.status) [\(response.requestID)]") }
    if let bytes = response.savedBytes, let path = destination?.path {
      try console.result(
        .members([
          "status": .integer(response.status), "body": .object(JSONObject()),
          "requestID": .string(response.requestID), "output": .string(path),
          "savedBytes": .integer(Int(bytes)),
        ]),
        "\(path): \(bytes) bytes"
      )
      return
    }
    var body = JSONValue(parsing: response.body) ?? .object(JSONObject())
    if !reveals {
      let redactor = console.redactor(cutsUnknownTokens: false)
      body = body.redactingCredentials().mapStrings(redactor.redact)
    }
    try console.result(
      .members([
        "status": .integer(response.status), "body": body,
        "requestID": .string(response.requestID),
      ]),
      body.indented
    )
  }

  /// What a status of 400 or more is on the command line.
  private static func problem(
    with response: APIResponse,
    _ controller: SessionController
  ) -> ClientError? {
    response.status >= 400 ? ClientError(controller.failure(of: response)) : nil
  }

  private static func summary(_ counts: [String: Int], of total: Int) -> String {
    let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
    return "\(counts.values.reduce(0, +)) of \(total) requests: \(parts.joined(separator: ", "))"
  }
}
