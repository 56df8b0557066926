internal import AuthNetworking
internal import DevBackend
internal import HeadlessClient

/// `demo`: the whole story on an embedded backend, in a temporary home.
enum DemoCommand: Command {
  static let usesProfile = false

  static let spec = CommandSpec(
    "demo",
    summary: "watch the whole story on an embedded backend, in a temporary home",
    details: [
      "Registers, signs in, restores after a restart, survives a storm of requests on an expired "
        + "token, sends and receives messages in real time, is revoked and signs out. Each step "
        + "checks its claim, in processes of this program that talk to a real backend over real "
        + "sockets; the status is 0 only where all of them hold. Nothing is left behind. "
        + "With --verbose also each command line is shown, and what came of it."
    ],
    examples: ["demo", "demo --json", "demo --verbose"]
  )

  static func run(_ context: CommandContext) async throws(ClientError) {
    guard let home = TemporaryHome(environment: context.environment) else {
      throw ClientError(.storage, "A temporary directory cannot be made", advice: "Set TMPDIR")
    }
    context.interruptions?.onInterrupt {
      home.remove()
      return .yes
    }
    defer { home.remove() }
    let backend = DevBackend(configuration())
    do {
      let ports = try await backend.start()
      let stage = DemoStage(
        home: home,
        ports: ports,
        inspector: try backend.inspector(),
        inherited: context.environment,
        transcript: DemoTranscript { [console = context.console] in console.detail($0) }
      )
      try await play(stage, context.console)
    } catch let error as BackendError {
      await backend.stop()
      throw ClientError(.internal, "The demo's backend failed: \(error)")
    } catch let error as ClientError {
      await backend.stop()
      throw error
    } catch {
      await backend.stop()
      throw ClientError(.internal, String(describing: error))
    }
    await backend.stop()
  }

  private static func configuration() -> BackendConfiguration {
    var configuration = BackendConfiguration()
    configuration.port = 0
    configuration.realtimePort = 0
    configuration.seedsDemoData = true
    return configuration
  }

  private static func play(_ stage: DemoStage, _ console: Console) async throws(ClientError) {
    let start = ContinuousClock.now
    for step in DemoStep.all {
      console.progress("\(step.title) …")
      let stepStart = ContinuousClock.now
      let found: String
      do {
        found = try await step.run(stage)
      } catch {
        try console.result(
          .members(["step": .string(step.name), "ok": false, "detail": .string(error.message)]),
          "✗ \(step.title): \(error.message)"
        )
        throw ClientError(.internal, "The demo failed at “\(step.name)”: \(error.message)")
      }
      let time = milliseconds(since: stepStart)
      try console.result(
        .members([
          "step": .string(step.name), "ok": true, "detail": .string(found),
          "milliseconds": .integer(time),
        ]),
        "✓ \(step.title): \(found) (\(time) ms)"
      )
    }
    let count = DemoStep.all.count
    let total = milliseconds(since: start)
    try console.result(
      .members(["demo": "ok", "steps": .integer(count), "milliseconds": .integer(total)]),
      "All \(count) steps held, in \(total / 1000).\(total % 1000 / 100) s"
    )
  }

  private static func milliseconds(since start: ContinuousClock.Instant) -> Int {
    Int((ContinuousClock.now - start) / .milliseconds(1))
  }
}
