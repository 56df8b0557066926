package import AuthNetworking
package import SessionModels
internal import Synchronization

/// Prints: results on one channel, all else on the other, secrets on neither (R9).
package final class Console: Sendable {
  /// How lines look.
  package let style: Style
  private let sink: any OutputSink
  private let state = Mutex(State())

  private struct State {
    var secrets: [Secret] = []
    var sources: [@Sendable () -> [Secret?]] = []
    var live = LiveLine.none
  }

  /// What the terminal's last line shows until the next one is printed.
  private enum LiveLine {
    case none, spinner, progress
    /// Nothing any more: the command is being ended.
    case closed
  }

  /// A console that writes into a sink.
  package init(style: Style, sink: any OutputSink) {
    self.style = style
    self.sink = sink
  }

  /// Takes a secret out of everything printed from now on, but for results that reveal it.
  package func conceal(_ secrets: [Secret?]) {
    let found = secrets.compactMap { $0 }
    state.withLock { state in
      for secret in found where !state.secrets.contains(secret) { state.secrets.append(secret) }
    }
  }

  /// As ``conceal(_:)``, with the secrets that there are whenever something is printed.
  package func conceal(from source: @escaping @Sendable () -> [Secret?]) {
    state.withLock { $0.sources.append(source) }
  }

  /// Knows the secrets that were named with ``conceal(_:)``.
  ///
  /// - Parameter cutsUnknownTokens: whether what only looks like a token goes as well.
  /// - Returns: the redactor, for text of others.
  package func redactor(cutsUnknownTokens: Bool = true) -> Redactor {
    for source in state.withLock({ $0.sources }) { conceal(source()) }
    return Redactor(state.withLock { $0.secrets }, cutsUnknownTokens: cutsUnknownTokens)
  }

  // MARK: Results

  /// Prints one result: a JSON line or a text for people, as the options say.
  ///
  /// - Parameters:
  ///   - json: the line for programs.
  ///   - text: the text for people.
  ///   - reveals: whether secrets that were named with ``conceal(_:)`` are shown all the same.
  /// - Throws: ``ClientError`` where nobody reads any more, which ends the command.
  package func result(
    _ json: JSONValue,
    _ text: @autoclosure () -> String,
    reveals: Bool = false
  ) throws(ClientError) {
    if reveals { return try write(style.json ? json.text : text()) }
    // A server may put a token into whatever it says, a user's name among it.
    let redactor = redactor(cutsUnknownTokens: false)
    try write(style.json ? json.mapStrings(redactor.redact).text : redactor.redact(text()))
  }

  /// Prints bytes as they are.
  package func raw(_ bytes: [UInt8]) throws(ClientError) {
    switch sink.write(bytes, to: .results) {
    case nil: break
    case .readerIsGone: throw Console.readerIsGone
    case .refused(let reason):
      throw ClientError(.storage, "The output cannot be written: \(reason)")
    }
  }

  private func write(_ line: String) throws(ClientError) {
    clearLiveLine()
    try raw(Array((line + "\n").utf8))
  }

  /// The end of a command whose reader has gone, as with `| head -1`: no fault, and no message.
  package static let readerIsGone = ClientError(.interrupted, "", exitStatus: .done)

  // MARK: Messages

  /// Says something on the side, unless told to be quiet.
  package func note(_ text: String) {
    guard !style.quiet else { return }
    let safe = redactor().redact(text)
    message(style.json ? JSONValue.members(["note": .string(safe)]).text : safe)
  }

  /// Says on the side what is not an error and has numbers, unless told to be quiet: a JSON line
  /// or a text for people.
  package func report(_ json: JSONValue, _ text: @autoclosure () -> String) {
    guard !style.quiet else { return }
    let redactor = redactor()
    message(style.json ? json.mapStrings(redactor.redact).text : redactor.redact(text()))
  }

  /// Says something for those who asked for more.
  package func detail(_ text: @autoclosure () -> String) {
    guard style.verbose, !style.quiet else { return }
    note(text())
  }

  /// Says something on the side to people, unless told to be quiet.
  ///
  /// Programs learn of it only with `verbose`, so that an error
  /// stands alone on their channel.
  package func hint(_ text: String) {
    if style.json { detail(text) } else { note(text) }
  }

  /// Warns, as ``hint(_:)``.
  package func warning(_ text: String) {
    let mark = style.json ? "" : style.paint("warning: ", .caution, on: .messages)
    hint(mark + text)
  }

  /// Prints an error, as one line.
  package func error(_ error: ClientError) {
    guard error.code != .interrupted else { return }
    let line = ErrorLine(error, redactor: redactor())
    message(
      style.json
        ? line.json.text : style.paint("error: ", .bad, on: .messages) + line.text
    )
  }

  /// Whether ``progress(_:)`` shows anything: on terminals only.
  var showsProgress: Bool { style.messagesAreLive && !style.quiet && !style.json }

  /// Shows how far something is on the line that the next message overwrites.
  package func progress(_ text: String) {
    guard showsProgress else { return }
    let shown = redactor().redact(text).prefix(max(10, style.width - 1))
    show(shown, as: .progress)
  }

  /// As ``progress(_:)``, where nothing more telling stands there.
  func spin(_ text: String) {
    guard showsProgress else { return }
    show(redactor().redact(text).prefix(max(10, style.width - 1)), as: .spinner)
  }

  private func show(_ text: Substring, as line: LiveLine) {
    state.withLock { state in
      guard state.live != .closed, line == .progress || state.live != .progress else { return }
      state.live = line
      // Under the lock, so that nothing comes after what takes it away.
      _ = sink.write(Array("\r\u{1B}[K\(text)".utf8), to: .messages)
    }
  }

  /// Takes the line of ``spin(_:)`` away, if it is the one that is shown.
  func stopSpinning() { clear { $0 == .spinner } }

  /// Takes the live line away and lets no other come: the process is about to end.
  package func endProgress() {
    clear { $0 != .none }
    state.withLock { $0.live = .closed }
  }

  /// Takes the line of ``progress(_:)`` away.
  package func clearLiveLine() { clear { $0 != .none } }

  private func clear(_ isMeant: (LiveLine) -> Bool) {
    state.withLock { state in
      guard state.live != .closed, state.live != .none, isMeant(state.live) else { return }
      state.live = .none
      _ = sink.write(Array("\r\u{1B}[K".utf8), to: .messages)
    }
  }

  private func message(_ line: String) {
    clearLiveLine()
    _ = sink.write(Array((line + "\n").utf8), to: .messages)
  }
}
