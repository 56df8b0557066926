import SecureStorage
import SessionModels
import SessionModelsTesting
import Synchronization

@testable import HeadlessClient

/// Standard streams in memory: what a command printed, and what a person would have typed.
final class MemoryStreams: OutputSink, InputSource {
  private let state = Mutex(State())

  private struct State {
    var results: [UInt8] = []
    var messages: [UInt8] = []
    var input: [UInt8] = []
    var lines = LineBuffer()
    var secrets: [Secret]?
    var failure: WriteFailure?
  }

  init(input: String = "", typed: [String]? = nil, failure: WriteFailure? = nil) {
    state.withLock {
      $0.input = Array(input.utf8)
      $0.lines.append($0.input)
      $0.lines.append([])
      $0.secrets = typed.map { $0.map { Secret($0) } }
      $0.failure = failure
    }
  }

  func write(_ bytes: [UInt8], to channel: OutputChannel) -> WriteFailure? {
    state.withLock { state in
      switch channel {
      case .results:
        if let failure = state.failure { return failure }
        state.results += bytes
      case .messages: state.messages += bytes
      }
      return nil
    }
  }

  func standardInput(atMost limit: Int) throws(ClientError) -> [UInt8] {
    state.withLock { $0.input }
  }

  func nextLine(atMost limit: Int) async throws(ClientError) -> [UInt8]? {
    state.withLock { $0.lines.takeLine() }
  }

  func line(prompt: String) throws(ClientError) -> String? {
    try secret(prompt: prompt)?.reveal()
  }

  func secret(prompt: String) throws(ClientError) -> Secret? {
    state.withLock { state in
      guard state.secrets?.isEmpty == false else { return nil }
      return state.secrets?.removeFirst()
    }
  }

  /// What was printed as results.
  var results: String { state.withLock { String(decoding: $0.results, as: UTF8.self) } }

  /// What was printed as messages.
  var messages: String { state.withLock { String(decoding: $0.messages, as: UTF8.self) } }

  /// Runs a command line over these streams; the keyring and TPM of whoever runs the tests are
  /// left alone.
  ///
  /// `resultsWidth` is the columns of the terminal that results go to; nil for a pipe.
  func run(
    _ arguments: [String],
    environment: [String: String] = [:],
    parts: Composition.Parts = Composition.Parts(),
    messagesAreLive: Bool = false,
    resultsWidth: Int? = nil
  ) async -> CommandStatus {
    await run(
      ProcessText(arguments),
      environment: environment,
      parts: parts,
      messagesAreLive: messagesAreLive,
      resultsWidth: resultsWidth
    )
  }

  /// As ``run(_:environment:parts:messagesAreLive:resultsWidth:)``, where some of it may not be UTF-8.
  func run(
    _ text: ProcessText,
    environment: [String: String] = [:],
    parts: Composition.Parts = Composition.Parts(),
    messagesAreLive: Bool = false,
    resultsWidth: Int? = nil
  ) async -> CommandStatus {
    var parts = parts
    parts.automaticVaults = [.file]
    let application = Application(
      commands: CommandTable.all,
      surroundings: Application.Surroundings(
        environment: environment,
        sink: self,
        input: self,
        style: { json, quiet, verbose in
          var style = Style()
          style.json = json
          style.quiet = quiet
          style.messagesAreLive = messagesAreLive
          style.resultsAreLive = resultsWidth != nil
          style.width = resultsWidth ?? style.width
          style.verbose = verbose || SecretSweep.isOn
          return style
        },
        parts: parts
      )
    )
    let status = await application.run(text)
    // What `--reveal` shows is a result, and is asked for.
    SecretSweep.said(text.arguments.contains("--reveal") ? messages : results + messages)
    return status
  }
}
