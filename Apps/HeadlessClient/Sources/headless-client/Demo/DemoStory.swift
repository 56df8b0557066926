internal import AuthNetworking
internal import DevBackend
internal import SessionModels

/// The steps of the demo, up to the storm.
enum DemoStory {
  static func backend(_ stage: DemoStage) async throws(DemoFailure) -> String {
    let outcome = try await stage.client.run(
      "request",
      "GET",
      "/auth/me",
      "--base-url",
      "http://127.0.0.1:\(stage.ports.http)"
    )
    // Nobody is signed in: the client says so itself, and asks nobody.
    try outcome.ended(77)
    try expect(stage.inspector.requestCount("GET /auth/me") == 0, "a request left without a token")
    return "HTTP on port \(stage.ports.http), gRPC on port \(stage.ports.realtime)"
  }

  static func register(_ stage: DemoStage) async throws(DemoFailure) -> String {
    let line = [
      "register", "--username", DemoStage.username, "--email", DemoStage.email,
      "--date-of-birth", "2010-04-01",
    ]
    let outcome = try await stage.client.start(line + stage.backendOptions).outcome().ended(0)
    try expect(outcome.last["state"]?.string == "signedIn", "nobody is signed in after register")
    let living = try await livingSessions(stage)
    try expect(living.count == 1, "the backend has \(living.count) sessions, not 1")
    let out = try await stage.client.run("logout").ended(0)
    try expect(out.last["revoked"]?.bool == true, "logout did not revoke the session")
    return "account \(outcome.last["userID"]?.string ?? "?") of \(DemoStage.email)"
  }

  static func login(_ stage: DemoStage) async throws(DemoFailure) -> String {
    let line = ["login", DemoStage.email]
    let outcome = try await stage.client.start(line + stage.backendOptions).outcome().ended(0)
    try expect(outcome.last["state"]?.string == "signedIn", "nobody is signed in after login")
    let living = try await livingSessions(stage)
    try expect(living.count == 1, "the backend has \(living.count) living sessions, not 1")
    try await learnSecrets(stage)
    return "session encrypted on disk, vault \(outcome.last["vault"]?.string ?? "?")"
  }

  static func restore(_ stage: DemoStage) async throws(DemoFailure) -> String {
    let before = stage.refreshes
    let outcome = try await stage.client.run("restore").ended(0)
    try expect(outcome.last["state"]?.string == "signedIn", "the session was not restored")
    try expect(outcome.last["stale"] == nil, "the session was restored stale")
    let whoami = try await stage.client.run("whoami").ended(0)
    let name = whoami.last["username"]?.string
    try expect(name == DemoStage.username, "the backend says that this is \(name ?? "nobody")")
    let count = stage.refreshes - before
    try expect(count == 0, "a fresh token was refreshed \(count) times")
    return "a new process found the session; no refresh was needed"
  }

  static func storm(_ stage: DemoStage) async throws(DemoFailure) -> String {
    let count = 50
    stage.inspector.expireAccessTokens()
    let before = stage.refreshes
    let outcome = try await stage.client.run(
      "request",
      "GET",
      "/auth/me",
      "--repeat",
      "\(count)",
      "--concurrency",
      "\(count)"
    ).ended(0)
    let good = outcome.results.count { $0["status"]?.number?.integer() == 200 }
    try expect(good == count, "\(good) of \(count) requests got their answer")
    let refreshes = stage.refreshes - before
    try expect(refreshes == 1, "\(refreshes) refreshes, not 1")
    try await learnSecrets(stage)
    return "\(count) requests at once, \(count) answers, 1 refresh as the backend counts"
  }

  static func processes(_ stage: DemoStage) async throws(DemoFailure) -> String {
    let count = 8
    stage.inspector.expireAccessTokens()
    let before = stage.refreshes
    var runs: [DemoRun] = []
    for _ in 0..<count { runs.append(try stage.client.start(["whoami"])) }
    for run in runs { try await run.outcome().ended(0) }
    let refreshes = stage.refreshes - before
    try expect(refreshes == 1, "\(refreshes) refreshes, not 1")
    try await learnSecrets(stage)
    return "\(count) processes at once on one store, 1 refresh"
  }
}
