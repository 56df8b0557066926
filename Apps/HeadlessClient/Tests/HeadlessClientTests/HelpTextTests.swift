import Testing

@testable import HeadlessClient

/// Help and the manual page: made from the table, and fit for the terminal.
struct HelpTextTests {
  private static let commands = CommandTable.all.map { $0.spec }

  private static func texts(width: Int) -> [String] {
    let help = HelpText(commands: commands, globals: GlobalOptions.all, width: width)
    let groups = Set(commands.filter { $0.path.count > 1 }.compactMap(\.path.first))
    return [help.overview] + commands.map(help.command) + groups.map(help.group)
  }

  /// Examples stay whole, to be copied, and a word that is longer than the line stays one.
  private static func mayBeLong(_ line: Substring) -> Bool {
    line.hasPrefix("  headless-client ") || !line.drop { $0 == " " }.contains(" ")
  }

  @Test(arguments: [60, 80, 200]) func `Help fits the terminal`(width: Int) {
    for text in HelpTextTests.texts(width: width) {
      for line in text.split(separator: "\n") where !HelpTextTests.mayBeLong(line) {
        #expect(line.count <= width, "\(line)")
      }
    }
  }

  @Test func `Help is as wide as can be read, and no wider`() {
    let longest = HelpTextTests.texts(width: 200).flatMap { $0.split(separator: "\n") }
      .filter { !HelpTextTests.mayBeLong($0) }.map(\.count).max()
    #expect(longest.map { (90...100).contains($0) } == true)
  }

  @Test func `Every command shows how it is used`() {
    for command in HelpTextTests.commands { #expect(!command.examples.isEmpty, "\(command.name)") }
  }

  @Test func `Help begins with a session that works as it stands`() throws {
    let parser = { ArgumentParser(commands: HelpTextTests.commands, globals: GlobalOptions.all) }
    for line in HelpText.firstLines {
      _ = try parser().parse(ShellWords.split(line), environment: [:])
      #expect(HelpTextTests.texts(width: 80)[0].contains("\n  headless-client \(line)\n"))
    }
  }

  @Test func `An option that must be given is not shown as one that may`() async {
    let streams = MemoryStreams()
    _ = await streams.run(["help", "register"])
    #expect(streams.results.contains("register --username NAME --email ADDRESS"))
    let refused = MemoryStreams()
    #expect(await refused.run(["register", "--username", "u"]) == .usage)
    #expect(refused.messages.contains("--email"))
  }

  @Test func `Help names every exit status`() async {
    let streams = MemoryStreams()
    _ = await streams.run(["--help"])
    for status in [0, 1, 64, 65, 69, 74, 75, 77, 130] {
      #expect(streams.results.contains("\n  \(status) "))
    }
  }

  @Test func `The manual has every command, option and example of the table`() async {
    let streams = MemoryStreams()
    #expect(await streams.run(["help", "--man"]) == .done)
    let page = streams.results
    for command in HelpTextTests.commands {
      #expect(page.contains(".SS \(Roff.text(command.name))\n"))
      for example in command.examples { #expect(page.contains(Roff.text(example))) }
    }
    for option in GlobalOptions.all + HelpTextTests.commands.flatMap(\.options) {
      #expect(page.contains(".B \(Roff.text(option.synopsis))\n"))
    }
    #expect(page.utf8.allSatisfy { $0 < 0x7F })
    #expect(await MemoryStreams().run(["help", "--man", "store"]) == .usage)
  }

  @Test(arguments: [
    (".dot", #"\&.dot"#), ("'quote'", #"\(aqquote\(aq"#), (#"\x -y"#, #"\ex \-y"#),
    ("“…”", #"\[u201C]\[u2026]\[u201D]"#), ("😀", #"\[u1F600]"#),
  ]) func `What roff would take for its own is escaped`(text: String, line: String) {
    #expect(Roff.line(text) == line)
  }
}
