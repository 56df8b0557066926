import Testing

/// The rules of the repository that SwiftPM does not know, as `Tools/check` states them.
@Suite struct RepositoryRulesTests {
  @Test func `every import follows the arrows, every test has a plan, every package an owner`()
    async throws
  {
    let rules = "arrows,plans,owners,manifests,sources,layout"
    let answer = try await Repository.run("Tools/check", ["--only", rules])
    #expect(answer.status == 0, "\(answer.output)")
  }

  @Test func `Tools/check names every fault that is planted`() async throws {
    let answer = try await Repository.run("Tools/check", ["--self-test"])
    #expect(answer.status == 0, "\(answer.output)")
  }
}
