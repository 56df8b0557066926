import AuthNetworking
import Testing

@testable import HeadlessClient

struct ApplicationTests {
  @Test func `Help lists every command and every global option, once`() async {
    let streams = MemoryStreams()
    #expect(await streams.run(["--help"]) == .done)
    for command in CommandTable.all {
      #expect(streams.results.contains("  \(command.spec.name)"))
    }
    for option in GlobalOptions.all { #expect(streams.results.contains("  --\(option.name)")) }
    #expect(streams.messages.isEmpty)
  }

  @Test func `Each command has help of its own, by either way`() async {
    for command in CommandTable.all {
      let byOption = MemoryStreams()
      let byCommand = MemoryStreams()
      #expect(await byOption.run(command.spec.path + ["--help"]) == .done)
      #expect(await byCommand.run(["help"] + command.spec.path) == .done)
      #expect(byOption.results == byCommand.results)
      #expect(byOption.results.contains("Usage: headless-client \(command.spec.name)"))
    }
  }

  @Test func `Every example in the table can be parsed`() throws {
    let specs = CommandTable.all.map { $0.spec }
    for example in specs.flatMap(\.examples) {
      let line = ShellWords.split(example)
      let invocation = try ArgumentParser(commands: specs, globals: GlobalOptions.all)
        .parse(line, environment: [:])
      #expect(invocation.command != nil, "\(example)")
    }
  }

  @Test func `Help of one command points to the options of all, and does not list them`() async {
    let streams = MemoryStreams()
    #expect(await streams.run(["store", "remove", "--help"]) == .done)
    #expect(streams.results.split(separator: "\n").count < 12)
    #expect(streams.results.contains("headless-client --help"))
  }

  @Test(arguments: [
    (["store", "set", "k\u{FFFD}", "v"], 2, CommandStatus.invalidInput),
    (["store", "set", "k", "v\u{FFFD}"], 3, .invalidInput),
    (["--profile", "p\u{FFFD}", "store", "list"], 1, .usage),
    (["store", "set", "--vault=f\u{FFFD}", "k", "v"], 2, .usage),
  ])
  func `Arguments that are not UTF-8 are refused, and not repaired`(
    arguments: [String],
    place: Int,
    status: CommandStatus
  ) async {
    let home = TemporaryDirectory()
    var text = ProcessText(arguments)
    text.repairedArguments = [place]
    let streams = MemoryStreams()
    let environment = ["HEADLESS_CLIENT_HOME": home.path]
    #expect(await streams.run(text, environment: environment) == status)
    #expect(home.mode(of: "profiles") == nil)
  }

  @Test func `So are variables that are meant for this program, and no others`() async {
    let home = TemporaryDirectory()
    let environment = ["HEADLESS_CLIENT_HOME": home.path]
    for (name, status) in [("HEADLESS_CLIENT_PASSPHRASE", CommandStatus.usage), ("OTHER", .done)] {
      var text = ProcessText(["status"])
      text.repairedVariables = [name]
      #expect(await MemoryStreams().run(text, environment: environment) == status)
    }
  }

  @Test func `With --json nothing but JSON lines is printed`() async throws {
    for line in [["--json", "--version"], ["help", "--json"], ["--help", "--json"]] {
      let streams = MemoryStreams()
      #expect(await streams.run(line) == .done)
      for text in streams.results.split(separator: "\n") {
        #expect(JSONValue(parsing: text.utf8)?.object != nil)
      }
    }
  }

  @Test(arguments: [
    ["--json", "nonsense"], ["nonsense", "--json"], ["--json", "--nonsense"], ["--json"],
    ["--json", "--profile", "../x", "help"], ["--json", "--base-url", "ftp://x", "help"],
    ["--json", "--pin", "sha256//x", "help"],
    ["--json", "--base-url", "http://example.com", "help"],
    ["--json", "--ca-file", "/nonexistent/ca.pem", "help"], ["--json", "--ca-file", "/", "help"],
    ["--json", "--ca-file", "/dev/null", "help"], ["--json", "--ca-file", "/etc/passwd", "help"],
    ["--json", "--base-url", "https://example.com/?x=1", "help"],
    ["--json", "--base-url", "https://example.com/api#part", "help"],
  ]) func `A wrong command line is one JSON line and 64`(line: [String]) async throws {
    let streams = MemoryStreams()
    #expect(await streams.run(line, environment: ["HOME": "/nonexistent"]) == .usage)
    #expect(streams.results.isEmpty)
    let lines = streams.messages.split(separator: "\n")
    try #require(lines.count == 1)
    let value = try #require(JSONValue(parsing: lines[0].utf8))
    #expect(value["error"]?["code"]?.string == "usage")
  }

  @Test func `A reader that has gone ends a command in peace`() async {
    let streams = MemoryStreams(failure: .readerIsGone)
    #expect(await streams.run(["--help"]) == .done)
    #expect(streams.messages.isEmpty)
    let full = MemoryStreams(failure: .refused("No space left on device"))
    #expect(await full.run(["--help"]) == .storage)
  }
}
