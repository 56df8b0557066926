import Testing

@testable import HeadlessClient

struct ChatScreenTests {
  /// A clock whose minutes are the number's hundreds, so that pictures are easy to read.
  private static let clock = WallTime { seconds in
    let whole = Int(seconds)
    return [2026, 11, 1 + whole / 86_400, whole / 3600 % 24, whole / 60 % 60, whole % 60]
  }

  private func screen(_ width: Int = 60, _ height: Int = 8) -> ChatScreen {
    ChatScreen(group: "general", clock: ChatScreenTests.clock, width: width, height: height)
  }

  private func message(
    _ sequence: UInt64,
    _ body: String,
    by sender: String = "bob",
    at time: Double = 3600
  ) -> ChatContent.Message {
    ChatContent.Message(
      sequence: sequence,
      sender: sender,
      isMine: sender == "ada",
      body: body,
      sentAt: time
    )
  }

  private func content(_ messages: [ChatContent.Message]) -> ChatContent {
    var content = ChatContent()
    content.messages = messages
    content.isLive = true
    return content
  }

  private func lines(_ screen: ChatScreen) -> [String] {
    screen.render().lines.map { line in
      var text = line.text
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  private func type(_ keys: Key..., into screen: inout ChatScreen) -> [ChatScreen.Effect] {
    keys.flatMap { screen.take(.key($0)) }
  }

  @Test func `Who reads back stays there when the window changes`() {
    var screen = screen()
    _ = screen.take(.content(content((1...40).map { message($0, "number \($0)") })))
    _ = type(.pageUp, .pageUp, into: &screen)
    let before = lines(screen).first { $0.contains("number") }
    let (width, height) = screen.size
    _ = screen.take(.resize(width: width + 10, height: height))
    #expect(lines(screen).first { $0.contains("number") } == before)
    // Each message takes two lines now.
    _ = screen.take(.resize(width: 18, height: height))
    #expect(!lines(screen).contains { $0.contains("number 40") })
  }

  @Test func `A conversation stands above the status line and the line to write in`() {
    var screen = screen()
    _ = screen.take(.connection(.connected))
    var content = content([message(1, "hello"), message(2, "hello\nyourself", by: "ada", at: 3660)])
    content.hasEarlier = false
    content.typing = ["bob"]
    _ = screen.take(.content(content))
    _ = type(.text("how are "), into: &screen)
    #expect(
      lines(screen) == [
        "", "This is where general begins.", "— 2026-11-01 —", "01:00 bob: hello",
        "01:01 me: hello", "          yourself",
      ].suffix(6) + [" general · connected · bob is writing …", "> how are"]
    )
    #expect(screen.render().cursor == (7, 10))
  }

  @Test(arguments: [
    (ChatConnection.connecting, "connecting again …"), (.connected, "connected"),
    (.waiting(until: 3725), "not connected, waiting until 01:02:05"),
    (.signedOut("the server revoked it"), "signed out: the server revoked it · Enter leaves"),
  ])
  func `The status line says how it is connected`(connection: ChatConnection, text: String) {
    var screen = screen()
    _ = screen.take(.content(content([])))
    _ = screen.take(.connection(connection))
    #expect(lines(screen)[6] == " general · \(text)")
  }

  @Test func `Before anything was read it says so, and an empty group is empty`() {
    var screen = screen()
    #expect(lines(screen)[6] == " general · connecting …")
    _ = screen.take(.connection(.connected))
    #expect(lines(screen)[6] == " general · connected, reading …")
    _ = screen.take(.content(content([])))
    #expect(lines(screen)[5] == "Nobody has written anything yet.")
  }

  @Test func `While the messages cannot be read it says why, and not that there are none`() {
    var screen = screen()
    _ = screen.take(.connection(.connected))
    var failing = ChatContent()
    failing.failure = "The server is busy"
    failing.unsent = [
      ChatContent.Unsent(body: "one", isSent: true), ChatContent.Unsent(body: "two"),
    ]
    _ = screen.take(.content(failing))
    #expect(
      lines(screen)[1...6] == [
        "Messages cannot be read just now, and are asked for again:", "The server is busy",
        "      me: one", "      me: two", "          not sent yet",
        " general · messages cannot be read, trying again",
      ]
    )
  }

  @Test func `What is not there is named, with the day where it changes`() {
    var screen = screen()
    _ = screen.take(
      .content(content([message(4, "a"), message(8, "b"), message(9, "c", at: 90_000)]))
    )
    #expect(
      lines(screen)[0..<6] == [
        "— 2026-11-01 —", "01:00 bob: a", "… 3 messages missing here …", "01:00 bob: b",
        "— 2026-11-02 —", "01:00 bob: c",
      ]
    )
  }

  @Test func `What was not sent says so, and what was refused why`() {
    var screen = screen(60, 6)
    var content = content([])
    content.unsent = [
      ChatContent.Unsent(body: "one", refusal: "no\u{1B}[2J"), ChatContent.Unsent(body: "two"),
    ]
    _ = screen.take(.content(content))
    #expect(
      lines(screen)[0..<4] == [
        "      me: one", "          refused: no [2J (/resend or /discard)", "      me: two",
        "          not sent yet",
      ]
    )
    #expect(type(.text("/resend"), .enter, into: &screen).last == .resendFailed)
    #expect(type(.text("/discard"), .enter, into: &screen).last == .discardFailed)
  }

  @Test func `Enter sends, unless there is nothing, and a slash commands`() {
    var screen = screen()
    #expect(type(.text("hi"), .enter, into: &screen) == [.typing, .send("hi")])
    #expect(type(.text("  "), .enter, into: &screen) == [.typing])
    #expect(type(.text("//etc"), .enter, into: &screen).last == .send("/etc"))
    #expect(type(.text("/quit"), .enter, into: &screen).last == .leave(isInterrupted: false))
    #expect(type(.text("/nonsense"), .enter, into: &screen) == [.typing])
    #expect(lines(screen)[6].contains("no such command"))
    #expect(type(.text("two\nlines"), .enter, into: &screen).last == .send("two\nlines"))
  }

  @Test func `Ctrl-D leaves an empty line only, Ctrl-C any`() {
    var screen = screen()
    #expect(type(.endOfInput, into: &screen) == [.leave(isInterrupted: false)])
    #expect(type(.text("x"), .start, .endOfInput, into: &screen) == [.typing])
    #expect(lines(screen)[7] == ">")
    #expect(type(.text("x"), .interrupt, into: &screen).last == .leave(isInterrupted: true))
  }

  @Test func `Once signed out, nothing is written any more, and Enter leaves`() {
    var screen = screen()
    _ = screen.take(.connection(.signedOut("revoked")))
    _ = screen.take(.connection(.connected))
    #expect(screen.isSignedOut)
    #expect(type(.text("x"), into: &screen).isEmpty)
    #expect(type(.enter, into: &screen) == [.leave(isInterrupted: false)])
  }

  @Test func `A reader who went back keeps the place while more comes`() {
    var screen = screen(60, 6)
    var messages = (1...30).map { message($0, "text \($0)") }
    _ = screen.take(.content(content(messages)))
    #expect(lines(screen)[0..<4] == [27, 28, 29, 30].map { "01:00 bob: text \($0)" }[...])
    #expect(type(.pageUp, into: &screen).isEmpty)
    let before = lines(screen)[0..<4]
    #expect(before == [24, 25, 26, 27].map { "01:00 bob: text \($0)" }[...])
    messages += [message(31, "more"), message(32, "two\nlines")]
    _ = screen.take(.content(content(messages)))
    #expect(lines(screen)[0..<4] == before)
    #expect(lines(screen)[4].contains("6 lines below"))
    _ = type(.pageDown, .pageDown, into: &screen)
    #expect(lines(screen)[3] == "           lines")
  }

  @Test func `At the top the earlier ones are asked for, where there are any`() {
    var screen = screen(60, 6)
    _ = screen.take(.content(content((1...6).map { message($0, "\($0)") })))
    #expect(type(.pageUp, .pageUp, into: &screen).contains(.loadEarlier))
    #expect(lines(screen)[0] == "▲ PgUp for earlier messages")
    var all = content((1...6).map { message($0, "\($0)") })
    all.hasEarlier = false
    _ = screen.take(.content(all))
    #expect(type(.pageUp, .pageUp, into: &screen).isEmpty)
  }

  @Test func `What others write and are called cannot drive the terminal or fake a line`() {
    var screen = screen()
    _ = screen.take(
      .content(
        content([message(1, "a\u{1B}]0;owned\u{7}b\n01:00 ada: fake", by: "bob\u{1B}[2J\nada: hi")])
      )
    )
    let shown = screen.render().lines.map(\.text).joined(separator: "\n")
    #expect(!shown.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    // A line of the text is indented, so that it is none of the conversation's.
    #expect(lines(screen).contains { $0.hasPrefix("    ") && $0.hasSuffix("01:00 ada: fake") })
  }

  @Test func `A long line moves with the cursor`() {
    var screen = screen(20, 4)
    _ = type(.text("0123456789abcdefghijklmnop"), into: &screen)
    let picture = screen.render()
    #expect(picture.lines[3].text.hasSuffix("p"))
    #expect(picture.cursor.column < 20)
    _ = type(.start, into: &screen)
    #expect(screen.render().cursor.column == 2)
    #expect(screen.render().lines[3].text.hasPrefix("> 0123"))
  }

  @Test func `No line is wider than the terminal, whatever comes and whatever its size`() {
    var random = SystemRandomNumberGenerator()
    let alphabet = Array("ab c日語😀é\u{301}\u{1B}\n\u{202E}🇩🇪👍🏽 /")
    func text(_ most: Int) -> String {
      String(
        (0..<Int.random(in: 0...most, using: &random)).map { _ in alphabet.randomElement() ?? "x" }
      )
    }
    for _ in 0..<60 {
      let (width, height) = (Int.random(in: 1...90), Int.random(in: 1...12))
      var screen = screen(width, height)
      var sequence: UInt64 = 0
      var messages: [ChatContent.Message] = []
      for _ in 0..<12 {
        switch Int.random(in: 0...5) {
        case 0: _ = screen.take(.resize(width: .random(in: 1...90), height: .random(in: 1...12)))
        case 1: _ = type(.text(text(30)), .left, into: &screen)
        case 2: _ = type(.pageUp, into: &screen)
        case 3: _ = type(.lineDown, into: &screen)
        default:
          sequence += .random(in: 1...2)
          messages.append(message(sequence, text(80), by: text(12)))
          var content = content(messages)
          content.unsent = [ChatContent.Unsent(body: text(20), refusal: text(10))]
          content.typing = [text(50)]
          _ = screen.take(.content(content))
        }
        let picture = screen.render()
        #expect(picture.lines.count == screen.size.height)
        #expect(picture.lines.allSatisfy { $0.columns <= screen.size.width })
        #expect((0..<screen.size.width).contains(picture.cursor.column))
      }
    }
  }
}
