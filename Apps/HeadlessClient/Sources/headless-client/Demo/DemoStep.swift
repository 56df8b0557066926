/// One step of the story: what it is called, and what it does and checks.
struct DemoStep: Sendable {
  /// The name for programs.
  let name: String
  /// The name for people.
  let title: String
  /// Does it.
  ///
  /// Returns what was found, for people; throws ``DemoFailure`` where the claim does not hold.
  let run: @Sendable (DemoStage) async throws(DemoFailure) -> String

  /// The whole story, in order.
  static let all: [DemoStep] = [
    DemoStep(name: "backend", title: "A real backend", run: DemoStory.backend),
    DemoStep(name: "register", title: "Register", run: DemoStory.register),
    DemoStep(name: "login", title: "Sign in", run: DemoStory.login),
    DemoStep(name: "restore", title: "Restart and restore", run: DemoStory.restore),
    DemoStep(name: "storm", title: "Storm on an expired token", run: DemoStory.storm),
    DemoStep(name: "processes", title: "Storm of processes", run: DemoStory.processes),
    DemoStep(name: "realtime", title: "Messages in real time", run: DemoStory.realtime),
    DemoStep(name: "secrets", title: "Search for secrets", run: DemoStory.secrets),
    DemoStep(name: "revoked", title: "Revoked on the server", run: DemoStory.revoked),
    DemoStep(name: "logout", title: "Sign in again and out", run: DemoStory.logout),
  ]
}
