internal import AuthNetworking
internal import DevBackend
internal import HeadlessClient
internal import SessionModels

/// The steps of the demo after the storm, and what several steps need.
extension DemoStory {
  static func realtime(_ stage: DemoStage) async throws(DemoFailure) -> String {
    let login = ["login", DemoStage.friend.email] + stage.backendOptions
    try await stage.friend.start(login).outcome().ended(0)
    let list = try await stage.client.run("messages", "list", DemoStage.group, "--limit", "1")
      .ended(0)
    let newest = list.last["sequence"]?.number?.integer(as: Int.self) ?? 0
    let bodies = (1...3).map { "Message \($0) of the demo" }
    let watch = try stage.client.start(
      ["messages", "watch", DemoStage.group, "--after", "\(newest)", "--count", "\(bodies.count)"]
    )
    async let watched = watch.outcome()
    try await wait(for: "the stream to open") { stage.inspector.openStreamCount > 0 }
    for body in bodies {
      try await stage.friend.run("messages", "send", DemoStage.group, body).ended(0)
    }
    let lines = try await watched.ended(0).results
    let received = lines.compactMap { $0["body"]?.string }
    try expect(
      received == bodies,
      "received \(received.count) of \(bodies.count) messages in order"
    )
    let sequences = lines.compactMap { $0["sequence"]?.number?.integer(as: Int.self) }
    try expect(sequences == Array((newest + 1)...(newest + bodies.count)), "a gap or a repeat")
    try expect(
      lines.allSatisfy { $0["isMine"]?.bool == false },
      "a friend's message was taken for own"
    )
    return
      "\(bodies.count) messages of \(DemoStage.friend.username) over gRPC, in order, none twice"
  }

  static func secrets(_ stage: DemoStage) async throws(DemoFailure) -> String {
    try await learnSecrets(stage)
    let search = SecretSearch(stage.secrets)
    try expect(search.count >= 4, "too few secrets are known to look for")
    var bytes = 0
    let files = stage.home.files
    try expect(!files.isEmpty, "there are no files to search")
    for file in files {
      let content = TemporaryHome.bytes(of: file)
      bytes += content.count
      try expect(!search.finds(in: content), "a secret lies in plain text in \(file)")
    }
    let transcript = stage.transcript.all
    try expect(!search.finds(in: transcript), "a secret was printed")
    return "none of \(search.count) in \(files.count) files (\(bytes / 1024) KiB) "
      + "or in \(transcript.count / 1024) KiB of output"
  }

  static func revoked(_ stage: DemoStage) async throws(DemoFailure) -> String {
    for session in try await livingSessions(stage) {
      do { try await stage.inspector.revokeSession(session.id) } catch {
        throw DemoFailure("the backend could not revoke: \(error)")
      }
    }
    let outcome = try await stage.client.run("whoami").ended(77)
    try expect(outcome.errorCode == "sessionEnded", "the error is \(outcome.errorCode ?? "none")")
    let status = try await stage.client.run("status").ended(0)
    try expect(status.last["state"]?.string == "signedOut", "the client still shows a session")
    let reason = status.last["reason"]?.string ?? "none"
    try expect(reason == "revoked", "the reason is \(reason)")
    return "the next request ended the session: signed out, revoked"
  }

  static func logout(_ stage: DemoStage) async throws(DemoFailure) -> String {
    let line = ["login", DemoStage.email] + stage.backendOptions
    try await stage.client.start(line).outcome().ended(0)
    try await learnSecrets(stage)
    let outcome = try await stage.client.run("logout").ended(0)
    try expect(outcome.last["revoked"]?.bool == true, "logout did not revoke the session")
    let living = try await livingSessions(stage)
    try expect(living.isEmpty, "the backend still has \(living.count) living sessions")
    let status = try await stage.client.run("status").ended(0)
    let reason = status.last["reason"]?.string ?? "none"
    try expect(reason == "userRequested", "the reason is \(reason)")
    let info = try await StoredSession.info(home: stage.home.path, profile: stage.client.profile)
    try expect(info == nil, "a session is still stored")
    return "nothing is left here, nothing on the server"
  }

  static func livingSessions(
    _ stage: DemoStage
  ) async throws(DemoFailure) -> [BackendInspector.Session] {
    do {
      return try await stage.inspector.sessions(of: DemoStage.email).filter { $0.ending == nil }
    } catch {
      throw DemoFailure("the backend could not be asked: \(error)")
    }
  }

  /// Reads the tokens where only their owner can, to look for them elsewhere later.
  static func learnSecrets(_ stage: DemoStage) async throws(DemoFailure) {
    for profile in [stage.client.profile, stage.friend.profile] {
      let info = try await StoredSession.info(home: stage.home.path, profile: profile)
      stage.learn([
        info?.session.accessToken?.secret, info?.session.refreshToken, info?.session.identitySeed,
      ])
    }
  }

  /// Looks again and again until something holds, for a minute at most.
  private static func wait(
    for what: String,
    until holds: () -> Bool
  ) async throws(DemoFailure) {
    let deadline = ContinuousClock.now + .seconds(60)
    while !holds() {
      guard ContinuousClock.now < deadline, (try? await Task.sleep(for: .milliseconds(5))) != nil
      else { throw DemoFailure("waited in vain for \(what)") }
    }
  }
}
