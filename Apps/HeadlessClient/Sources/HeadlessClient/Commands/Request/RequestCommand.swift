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
      OptionSpec(
        "repeat",
        .integer("N", 1...1_000_000_000),
        "send it N times",
        default: "1; without end with --interval or --for"
      ),
      OptionSpec(
        "concurrency",
        .integer("N", 1...1000),
        "have up to N of them under way at once",
        default: "1"
      ),
      OptionSpec(
        "interval",
        .seconds("DURATION"),
        "start one every so often, as 30s or 5m, not when the one before is answered"
      ),
      OptionSpec("for", .seconds("DURATION"), "start none after so long, as 90s or 8h"),
      OptionSpec(
        "alarm-after",
        .integer("K", 1...1_000_000),
        "end at K failures in a row, and with 0 where there never are so many"
      ),
      OptionSpec("summary", .flag, "print what all answers come to, and not the answers"),
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
      "Many requests end with a summary on stderr, with --summary on stdout: how many of each status, "
        + "refreshes, and how long the answers took (each at most 0.8 % off). With --json it is "
        + "{\"summary\": {…}}, times in milliseconds; stdout has a line for every answer, and with "
        + "--summary that one alone. Ctrl-C prints the summary so far and ends with 130. All requests "
        + "go as who was signed in at the first: after another sign-in the rest fail with 77.",
      "As a canary: --interval and --for (DURATION is seconds, or as 500ms, 30s, 5m, 8h, 7d) with "
        + "--alarm-after K, which takes fewer than K failures in a row for a blip: it ends at the "
        + "K-th with its status, and at once with 77 or 74, which do not pass by themselves.",
      "With --idempotency-key a POST is sent again where the connection breaks under it, and the "
        + "server acts once, if it honours the key. Give the same KEY to repeat a request yourself.",
    ],
    examples: [
      "request GET /auth/me",
      "request GET /users/me --dialect ksn",
      "request POST /groups/general/messages "
        + "--data '{\"client_message_id\": \"c-1\", \"body\": \"Good morning\"}'",
      "request GET /auth/me --repeat 50 --concurrency 50 --json",
      "request GET /auth/me --interval 30s --for 8h --alarm-after 5 --summary",
      "request POST /groups/general/messages --upload message.json "
        + "--header 'Content-Type: application/json'",
      "request GET /groups/general/messages --output messages.json --timeout 600",
    ]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let input = RequestInput(context)
    var request = try await input.request()
    let schedule = try input.schedule()
    request.onProgress = RequestProgress.handler(of: request, on: context.console)
    let controller = try await context.client.controller()
    let clock = context.client.parts.clock
    // A run is one user's: whoever signs in over the session does not go on with it.
    if schedule.count != 1 { request.sessionGeneration = controller.sessionGeneration }
    let run = RequestRun(
      controller: controller,
      request: request,
      makesKeys: input.makesKeys,
      clock: clock
    )
    let isRepeated = schedule.count != 1
    let printsAnswers = !context.invocation.isOn("summary")
    let reveals = context.invocation.isOn("reveal")
    let start = clock.now()
    var progress = SlowPace()
    var summary = RequestSummary(
      tally: RequestTally(alarmAfter: context.invocation.integer("alarm-after")),
      wanted: schedule.count,
      elapsed: .zero,
      refreshes: 0
    )
    try await run.forEachAnswer(by: schedule) { answer throws(ClientError) in
      switch answer.result {
      case .success(let response):
        try await context.client.concealHeldSecrets()
        if printsAnswers {
          try print(response, request.destination, context.console, reveals: reveals)
        }
        let problem = problem(with: response, controller)
        summary.tally.answered(response.status, problem: problem, after: answer.latency)
      case .failure(let error) where error.code == .cancelled && Task.isCancelled: break
      case .failure(let error): summary.tally.failed(error.code.rawValue, ClientError(error))
      }
      if isRepeated, progress.isDue(at: clock.now()) { context.console.progress(summary.progress) }
      return summary.tally.isAlarm ? .stop : .goOn
    }
    context.console.clearLiveLine()
    summary.elapsed = clock.now() - start
    summary.refreshes = context.client.refreshes
    summary.isInterrupted = Task.isCancelled
    try report(summary, isResult: !printsAnswers, isRepeated: isRepeated, context.console)
    if summary.isInterrupted { throw ClientError(.interrupted, "") }
    if let outcome = summary.tally.outcome { throw outcome }
  }

  private static func report(
    _ summary: RequestSummary,
    isResult: Bool,
    isRepeated: Bool,
    _ console: Console
  ) throws(ClientError) {
    let text = summary.text(width: console.style.width)
    if isResult {
      try console.result(summary.json, text)
    } else if isRepeated {
      console.report(summary.json, text)
    }
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
    if !reveals { body = body.redactingCredentials() }
    try console.result(
      .members([
        "status": .integer(response.status), "body": body,
        "requestID": .string(response.requestID),
      ]),
      body.indented,
      reveals: reveals
    )
  }

  /// What a status of 400 or more is on the command line.
  private static func problem(
    with response: APIResponse,
    _ controller: SessionController
  ) -> ClientError? {
    response.status >= 400 ? ClientError(controller.failure(of: response)) : nil
  }
}
