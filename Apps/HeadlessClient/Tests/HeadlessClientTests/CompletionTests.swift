import Testing

@testable import HeadlessClient

/// What TAB offers, by the table that parsing uses.
struct CompletionTests {
  private func answer(_ words: String..., profiles: [String] = []) -> CompletionAnswer {
    Completion(commands: CommandTable.all.map { $0.spec }, globals: GlobalOptions.all)
      .answer(to: words) { profiles }
  }

  private func words(_ words: String..., profiles: [String] = []) -> [String] {
    let answer = Completion(commands: CommandTable.all.map { $0.spec }, globals: GlobalOptions.all)
      .answer(to: words) { profiles }
    guard case .words(let candidates) = answer else { return ["\(answer)"] }
    return candidates.map(\.word)
  }

  @Test func `The first word is a command or a group, each once`() {
    let all = words("")
    #expect(Set(all) == Set(CommandTable.all.compactMap { $0.spec.path.first }))
    #expect(Set(all).count == all.count)
    #expect(words("sto") == ["store"])
    #expect(words("store", "re") == ["remove", "repair", "rekey", "reset"])
    #expect(words("nonsense", "") == all)
  }

  @Test func `What stands before the command does not confuse it`() {
    #expect(words("--json", "--profile", "status", "sto") == ["store"])
    #expect(words("--profile=work", "store", "ge") == ["get"])
    #expect(words("--no-such-option", "store", "ge") == ["get"])
  }

  @Test func `Options are the command's and the global ones, those given left out`() {
    #expect(words("store", "rekey", "--ci") == ["--cipher"])
    #expect(words("--ci") == [])
    #expect(words("request", "--json", "--j") == [])
    #expect(words("request", "--header", "A: 1", "--hea") == ["--header"])
    #expect(words("messages", "send", "general", "--", "--") == [])
  }

  @Test func `A value is completed where it is one of some words`() {
    #expect(words("--dialect", "k") == ["ksn"])
    #expect(words("--dialect=k") == ["--dialect=ksn"])
    #expect(words("store", "rekey", "--cipher", "a") == ["aes-256-gcm"])
    #expect(words("--timeout", "") == [])
    #expect(answer("--ca-file", "x") == .files)
    #expect(answer("request", "GET", "/x", "--output=x") == .files)
    #expect(answer("--home", "x") == .directories)
    #expect(words("--profile", "w", profiles: ["default", "work"]) == ["work"])
    #expect(words("--profile=", profiles: ["a", "b"]) == ["--profile=a", "--profile=b"])
  }

  @Test func `Operands are completed where the table says what they are`() {
    #expect(words("completion", "z") == ["zsh"])
    #expect(words("help", "mess") == ["messages"])
    #expect(words("help", "messages", "w") == ["watch"])
    #expect(words("login", "") == [])
  }

  @Test func `Every word of the table can be reached by TAB`() {
    for command in CommandTable.all {
      for place in command.spec.path.indices {
        let before = Array(command.spec.path[..<place])
        let answer = Completion(
          commands: CommandTable.all.map { $0.spec },
          globals: GlobalOptions.all
        ).answer(to: before + [""]) { [] }
        guard case .words(let candidates) = answer else { continue }
        #expect(candidates.map(\.word).contains(command.spec.path[place]))
      }
    }
  }

  @Test func `A shell that is none is refused, with the nearest`() async {
    let streams = MemoryStreams()
    #expect(await streams.run(["completion", "bsh"]) == .usage)
    #expect(streams.messages.contains("Did you mean bash?"))
  }
}
