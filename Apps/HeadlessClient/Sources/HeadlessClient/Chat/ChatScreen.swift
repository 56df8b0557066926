/// The chat in a terminal: a value without clock, terminal or network.
///
/// Events go in, what has to be done comes out; ``render()`` says what it looks like. History fills
/// the screen from below, then come a status line and the line to write in.
struct ChatScreen: Equatable, Sendable {
  /// What happens.
  enum Event: Equatable, Sendable {
    case content(ChatContent)
    case connection(ChatConnection)
    case key(Key)
    case resize(width: Int, height: Int)
    /// Something to tell the user, until the next key.
    case notice(String)
  }

  /// What has to be done.
  enum Effect: Equatable, Sendable {
    case send(String)
    case resendFailed
    case discardFailed
    case typing
    case loadEarlier
    /// Draw all of it anew, as something else may have written to the terminal.
    case redraw
    case leave(isInterrupted: Bool)
  }

  private let group: String
  private let clock: WallTime
  private(set) var size: (width: Int, height: Int)
  private(set) var content = ChatContent()
  private var connection = ChatConnection.connecting
  private var editor = LineEditor()
  private var notice: String?
  /// How many lines of the conversation lie below the screen.
  private var linesBelow = 0

  init(group: String, clock: WallTime, width: Int, height: Int) {
    self.group = group
    self.clock = clock
    size = (max(width, 1), max(height, 1))
  }

  static func == (one: ChatScreen, other: ChatScreen) -> Bool {
    one.group == other.group && one.size == other.size && one.content == other.content
      && one.connection == other.connection && one.editor == other.editor
      && one.notice == other.notice && one.linesBelow == other.linesBelow
  }

  /// Whether the session has ended, so that nothing is left but to read and to leave.
  var isSignedOut: Bool { if case .signedOut = connection { true } else { false } }

  // MARK: Events

  /// Takes an event.
  ///
  /// - Returns: what has to be done.
  mutating func take(_ event: Event) -> [Effect] {
    switch event {
    case .content(let new):
      take(new)
      return []
    case .connection(let new):
      // What ended stays ended, whatever the connection does after it.
      if !isSignedOut { connection = new }
      return []
    case .resize(let width, let height):
      let before = linesBelow > 0 ? history(atLeast: Int.max).count : 0
      size = (max(width, 1), max(height, 1))
      // Who reads back stays about there: the same text takes another number of lines now.
      if linesBelow > 0 {
        let now = history(atLeast: Int.max).count
        linesBelow = min(linesBelow * now / max(before, 1), max(0, now - room))
      }
      return [.redraw]
    case .notice(let text):
      notice = text
      return []
    case .key(let key):
      notice = nil
      return take(key)
    }
  }

  private mutating func take(_ new: ChatContent) {
    // A reader who went back keeps the place, whatever comes below it.
    if linesBelow > 0 {
      let last = content.messages.last?.sequence ?? 0
      let added = new.messages.reversed().prefix { $0.sequence > last }
      linesBelow += added.reduce(0) { $0 + lines(of: $1).count }
      let unsent = new.unsent.flatMap(lines).count - content.unsent.flatMap(lines).count
      linesBelow = max(1, linesBelow + unsent)
    }
    content = new
  }

  private mutating func take(_ key: Key) -> [Effect] {
    switch key {
    case .text(let text):
      guard !isSignedOut else { return [] }
      editor.insert(text)
      return [.typing]
    case .enter: return enter()
    case .backspace: editor.deleteBackward()
    case .delete: editor.deleteForward()
    case .deleteWord: editor.deleteWord()
    case .deleteToStart: editor.deleteToStart()
    case .deleteToEnd: editor.deleteToEnd()
    case .left: editor.move(by: -1)
    case .right: editor.move(by: 1)
    case .start: editor.moveToStart()
    case .end: editor.moveToEnd()
    case .lineUp: return scroll(by: 1)
    case .lineDown: return scroll(by: -1)
    case .pageUp: return scroll(by: max(1, room - 1))
    case .pageDown: return scroll(by: -max(1, room - 1))
    case .redraw: return [.redraw]
    case .interrupt: return [.leave(isInterrupted: true)]
    case .endOfInput:
      guard !editor.characters.isEmpty else { return [.leave(isInterrupted: false)] }
      editor.deleteForward()
    }
    return []
  }

  private mutating func enter() -> [Effect] {
    guard !isSignedOut else { return [.leave(isInterrupted: false)] }
    let text = editor.take()
    guard text.contains(where: { !$0.isWhitespace }) else { return [] }
    linesBelow = 0
    guard text.hasPrefix("/") else { return [.send(text)] }
    // A message that begins with a slash is written with two.
    if text.hasPrefix("//") { return [.send(String(text.dropFirst()))] }
    switch text.split(separator: " ").first {
    case "/quit": return [.leave(isInterrupted: false)]
    case "/resend": return [.resendFailed]
    case "/discard": return [.discardFailed]
    case "/help":
      notice = ChatScreen.help
      return []
    default:
      notice = "there is no such command; \(ChatScreen.help)"
      return []
    }
  }

  private static let help =
    "/quit, /resend, /discard, // for a slash; PgUp, PgDn: back"

  private mutating func scroll(by lines: Int) -> [Effect] {
    let total = history(atLeast: linesBelow + room + max(lines, 0)).count
    let most = max(0, total - room)
    linesBelow = min(max(linesBelow + lines, 0), most)
    return lines > 0 && linesBelow == most && content.hasEarlier ? [.loadEarlier] : []
  }

  // MARK: Looks

  /// What the terminal shows.
  struct Picture: Equatable, Sendable {
    /// As many lines as the terminal has rows, none wider than it.
    var lines: [ChatLine]
    /// Where the cursor stands, from 0.
    var cursor: (row: Int, column: Int)

    static func == (one: Picture, other: Picture) -> Bool {
      one.lines == other.lines && one.cursor == other.cursor
    }
  }

  /// What it looks like.
  func render() -> Picture {
    let (input, column) = inputLine
    var lines: [ChatLine] = []
    if room > 0 {
      let all = history(atLeast: linesBelow + room)
      let end = max(0, all.count - linesBelow)
      let shown = all[max(0, end - room)..<end]
      lines = Array(repeating: ChatLine(), count: room - shown.count) + shown
    }
    if size.height > 1 { lines.append(statusLine) }
    lines.append(input)
    return Picture(
      lines: lines.map { $0.clipped(to: size.width) },
      cursor: (size.height - 1, min(column, size.width - 1))
    )
  }

  /// The rows that the conversation has.
  private var room: Int { max(0, size.height - 2) }

  /// The last lines of the conversation, as many as asked for or more, or all that there are.
  private func history(atLeast count: Int) -> [ChatLine] {
    var blocks: [[ChatLine]] = []
    var lineCount = 0
    func add(_ block: [ChatLine]) {
      blocks.append(block)
      lineCount += block.count
    }
    for unsent in content.unsent.reversed() { add(lines(of: unsent)) }
    var later: ChatContent.Message?
    for message in content.messages.reversed() {
      guard lineCount <= count else { break }
      if let later { add(between(message, later)) }
      add(lines(of: message))
      later = message
    }
    if lineCount <= count { add(top(before: later)) }
    return blocks.reversed().flatMap { $0 }
  }

  /// What stands above the first message.
  private func top(before first: ChatContent.Message?) -> [ChatLine] {
    guard let first else {
      if content.failure != nil { return failure }
      return content.isLive ? [ChatLine("Nobody has written anything yet.", .dim)] : []
    }
    let day = ChatLine("— \(clock.day(first.sentAt)) —", .dim)
    let begin =
      content.hasEarlier
      ? ChatLine("▲ PgUp for earlier messages", .dim)
      : ChatLine("This is where \(group) begins.", .dim)
    return failure + [begin, day]
  }

  /// Why what is shown may not be all.
  private var failure: [ChatLine] {
    guard let reason = content.failure else { return [] }
    let text = "Messages cannot be read just now, and are asked for again: \(reason)"
    return ScreenText.lines(of: text, columns: size.width).map { words in
      line([ChatLine.Span(text: words, look: .bad)])
    }
  }

  /// What stands between two messages: what is missing, another day.
  private func between(
    _ earlier: ChatContent.Message,
    _ later: ChatContent.Message
  ) -> [ChatLine] {
    var lines: [ChatLine] = []
    let missing = later.sequence - earlier.sequence - 1
    if later.sequence > earlier.sequence, missing > 0 {
      lines.append(ChatLine("… \(Counted.text(Int(missing), "message")) missing here …", .bad))
    }
    let day = clock.day(later.sentAt)
    if day != clock.day(earlier.sentAt) { lines.append(ChatLine("— \(day) —", .dim)) }
    return lines
  }

  private func lines(of message: ChatContent.Message) -> [ChatLine] {
    lines(
      time: clock.minute(message.sentAt),
      name: message.isMine ? "me" : message.sender,
      message.isMine ? .me : .name,
      message.body
    )
  }

  private func lines(of unsent: ChatContent.Unsent) -> [ChatLine] {
    lines(
      time: "     ",
      name: "me",
      .me,
      unsent.body,
      mark: unsent.refusal.map { ("refused: \($0) (/resend or /discard)", .bad) }
        ?? (unsent.isSent ? nil : ("not sent yet", .dim))
    )
  }

  private func lines(
    time: String,
    name: String,
    _ look: ChatLine.Look,
    _ body: String,
    mark: (String, ChatLine.Look)? = nil
  ) -> [ChatLine] {
    let shown = ScreenText(name).clipped(to: max(4, size.width / 4))
    let indent = time.count + 1 + shown.columns + 2
    // Too narrow for columns: the text goes under the name.
    let isNarrow = size.width - indent < 20
    let room = max(2, size.width - (isNarrow ? 2 : indent))
    let texts = ScreenText.lines(of: body, columns: room)
    let head = [
      ChatLine.Span(text: ScreenText(time + " "), look: .dim),
      ChatLine.Span(text: shown, look: look), ChatLine.Span(text: ScreenText(": ")),
    ]
    var lines: [ChatLine] = []
    if isNarrow { lines.append(line(head)) }
    for (index, text) in texts.enumerated() {
      if index == 0, !isNarrow {
        lines.append(line(head + [ChatLine.Span(text: text)]))
      } else {
        let space = String(repeating: " ", count: isNarrow ? 2 : indent)
        lines.append(
          line([ChatLine.Span(text: ScreenText(space)), ChatLine.Span(text: text)])
        )
      }
    }
    if let mark {
      let space = String(repeating: " ", count: isNarrow ? 2 : indent)
      let span = ChatLine.Span(text: ScreenText(space + mark.0), look: mark.1)
      lines.append(line([span]))
    }
    return lines
  }

  private func line(_ spans: [ChatLine.Span]) -> ChatLine {
    var line = ChatLine()
    line.spans = spans
    return line
  }

  private var statusLine: ChatLine {
    var text = " \(group) · \(connectionText)"
    if let notice {
      text = " \(notice)"
    } else {
      if linesBelow > 0 { text += " · \(Counted.text(linesBelow, "line")) below, PgDn" }
      if let typing { text += " · \(typing)" }
    }
    let shown = ScreenText(text).clipped(to: size.width)
    let rest = String(repeating: " ", count: max(0, size.width - shown.columns))
    return line([
      ChatLine.Span(text: shown, look: .bar), ChatLine.Span(text: ScreenText(rest), look: .bar),
    ])
  }

  private var connectionText: String {
    switch connection {
    case .connecting: content.isLive ? "connecting again …" : "connecting …"
    case .connected where content.failure != nil: "messages cannot be read, trying again"
    case .connected: content.isLive ? "connected" : "connected, reading …"
    case .waiting(let time): "not connected, waiting until \(clock.second(time))"
    case .signedOut(let reason): "signed out: \(reason) · Enter leaves"
    }
  }

  private var typing: String? {
    switch content.typing.count {
    case 0: nil
    case 1: "\(content.typing[0]) is writing …"
    case 2: "\(content.typing[0]) and \(content.typing[1]) are writing …"
    default: "\(content.typing.count) people are writing …"
    }
  }

  /// The line to write in, moved so that the cursor is on the screen, and the cursor's column.
  private var inputLine: (ChatLine, Int) {
    let prompt = isSignedOut ? "" : "> "
    let room = max(1, size.width - prompt.count - 1)
    let before = shownInput(editor.characters[..<editor.cursor])
    let after = shownInput(editor.characters[editor.cursor...].prefix(room))
    var start = 0
    var columns = before.columns
    // Half a line at a time: the text does not move with each key.
    if columns > room {
      let wanted = columns - room + room / 2
      var dropped = 0
      while start < before.cells.count, dropped < wanted {
        dropped += before.cells[start].columns
        start += 1
      }
      columns -= dropped
    }
    let shown = ScreenText(Array(before.cells[start...]) + after.cells)
    let line = line([
      ChatLine.Span(text: ScreenText(prompt), look: .dim), ChatLine.Span(text: shown),
    ])
    return (line.clipped(to: size.width), prompt.count + columns)
  }

  /// What was written, with a sign for each line break.
  private func shownInput(_ characters: some Sequence<Character>) -> ScreenText {
    ScreenText(String(characters.map { $0.isNewline ? "⏎" : $0 }))
  }
}
