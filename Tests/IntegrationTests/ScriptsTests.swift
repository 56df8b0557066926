import Testing

/// The scripts in `Tools`: what they refuse, and that they say so.
@Suite struct ScriptsTests {
  @Test(arguments: [
    ("Tools/test", ["--sanitize", "memory"], Int32(64)),
    ("Tools/test", ["--filter"], 64),
    ("Tools/test", ["--nonsense"], 64),
    ("Tools/test-plan", ["--nonsense"], 64),
    ("Tools/test-plan", ["SessionModels", "SecureStorage"], 64),
    ("Tools/test-plan", ["NoSuchPlan"], 1),
    ("Tools/check", ["--only", "nonsense"], 64),
    ("Tools/fuzz", ["nonsense"], 64),
    ("Tools/fuzz", ["--seconds", "0"], 64),
  ])
  func `A script refuses what it does not know, and says why`(
    script: String,
    arguments: [String],
    status: Int32
  ) async throws {
    let answer = try await Repository.run(script, arguments)
    #expect(answer.status == status, "\(answer.output)")
    #expect(!answer.output.isEmpty)
  }

  @Test func `R9: the search for secrets finds every leak that is planted`() async throws {
    let answer = try await Repository.run("Tools/scripts/sweep.py", ["--self-test"])
    #expect(answer.status == 0, "\(answer.output)")
  }

  @Test func `What failed in a run is told in a few lines`() async throws {
    let answer = try await Repository.run("Tools/scripts/failures.py", ["--self-test"])
    #expect(answer.status == 0, "\(answer.output)")
  }

  @Test(arguments: ["Tools/test", "Tools/test-plan", "Tools/check", "Tools/fuzz"])
  func `A script explains itself`(script: String) async throws {
    let answer = try await Repository.run(script, ["--help"])
    #expect(answer.status == 0)
    #expect(answer.output.contains("usage: \(script)"))
  }

  @Test func `Tools/test-plan lists every plan`() async throws {
    let answer = try await Repository.run("Tools/test-plan", [])
    #expect(answer.status == 0)
    for plan in ["MobileAuthCore", "IntegrationTests", "SessionModels", "DevBackend"] {
      #expect(answer.output.contains("\(plan).xctestplan"), "\(answer.output)")
    }
  }
}
