internal import AuthNetworking
internal import GRPC

/// One call of `rpc`: sends what the command line and standard input have, and prints what comes.
struct RPCCall {
  /// The most digits of one line: a message of 64 MiB, which hardly any server takes.
  private static let longestLine = 128 << 20

  /// How long the first line is waited for before the call begins.
  ///
  /// What is wrong from the start keeps the call back. A server may have the first word, so the
  /// wait is short.
  private static let patience = Duration.milliseconds(100)

  private let input: RPCInput
  private let connection: RealtimeConnection
  private let console: Console
  private let source: any InputSource
  private let server: String
  private let spinner: Spinner

  /// - Parameters:
  ///   - input: what the command line says.
  ///   - connection: where the call goes.
  ///   - server: what that is called for people.
  ///   - console: where messages are printed.
  ///   - source: standard input.
  init(
    _ input: RPCInput,
    _ connection: RealtimeConnection,
    to server: String,
    _ console: Console,
    _ source: any InputSource
  ) {
    self.input = input
    self.connection = connection
    self.server = server
    self.console = console
    self.source = source
    spinner = Spinner(on: console)
  }

  /// Makes the call.
  func run() async -> RPCOutcome {
    if let message = input.messages.first, input.messages.count == 1, !input.readsInput {
      return await receive { () async throws(GRPCError) in
        try await connection.channel.serverStreaming(input.path, message: message, options: options)
      }
    }
    let first = Task { try await nextMessage() }
    defer { first.cancel() }
    if input.readsInput, let fault = await fault(of: first) {
      return RPCOutcome(unusableInput: fault, wasCalled: false)
    }
    return await stream(first)
  }

  private var options: GRPCCallOptions {
    var options = input.options
    if !connection.carriesToken { options.carriesToken = false }
    return options
  }

  /// Sends while it receives; what ends the one ends the other.
  private func stream(_ first: Task<[UInt8]?, any Error>) async -> RPCOutcome {
    var upload: Task<ClientError?, Never>?
    let outcome = await receive { () async throws(GRPCError) in
      let call = try await connection.channel.streaming(input.path, options: options)
      upload = Task { await send(on: call, first) }
      return call
    }
    upload?.cancel()
    if let fault = await upload?.value {
      return RPCOutcome(unusableInput: fault, wasCalled: true)
    }
    return outcome
  }

  /// Sends all messages, then ends the request.
  ///
  /// - Returns: what is wrong with the input, which has ended the call.
  private func send(on call: GRPCCall, _ first: Task<[UInt8]?, any Error>) async -> ClientError? {
    do {
      for message in input.messages { try await call.send(message) }
      if input.readsInput {
        var next = try await withTaskCancellationHandler {
          try await first.value
        } onCancel: {
          first.cancel()
        }
        while let message = next {
          try await call.send(message)
          next = try await nextMessage()
        }
      }
      // A reader that was cancelled ends as the input does.
      if !Task.isCancelled { await call.closeSend() }
      return nil
    } catch let fault as ClientError {
      call.cancel()
      return fault
    } catch {
      // The call is over: whoever receives says how.
      return nil
    }
  }

  private func nextMessage() async throws(ClientError) -> [UInt8]? {
    guard input.readsInput, let line = try await source.nextLine(atMost: Self.longestLine) else {
      return nil
    }
    return try RPCInput.bytes(
      String(decoding: line, as: UTF8.self),
      of: "A line of standard input"
    )
  }

  /// What is wrong with the first line, as far as it comes within ``patience``.
  private func fault(of first: Task<[UInt8]?, any Error>) async -> ClientError? {
    let (answers, answer) = AsyncStream.makeStream(of: ClientError?.self)
    let reader = Task {
      do {
        _ = try await first.value
        answer.yield(nil)
      } catch {
        answer.yield(error as? ClientError)
      }
    }
    let timer = Task {
      try? await Task.sleep(for: Self.patience)
      answer.yield(nil)
    }
    defer {
      reader.cancel()
      timer.cancel()
    }
    for await fault in answers { return fault }
    return nil
  }

  /// Shows a person that the server is waited for; not on a line that may be typed on meanwhile.
  private func waiting<Result>(
    _ body: () async throws(GRPCError) -> Result
  ) async throws(GRPCError) -> Result {
    guard !input.readsInput else { return try await body() }
    return try await spinner.during("waiting for \(server)", body)
  }

  private func receive(
    _ begin: () async throws(GRPCError) -> GRPCCall
  ) async -> RPCOutcome {
    var call: GRPCCall?
    do throws(GRPCError) {
      let begun = try await waiting(begin)
      call = begun
      while let message = try await waiting({ () async throws(GRPCError) in try await begun.next() }
      ) {
        do throws(ClientError) {
          let hex = Hexadecimal.text(message)
          try console.result(.members(["message": .string(hex)]), hex)
        } catch {
          begun.cancel()
          return RPCOutcome(printFailure: error)
        }
      }
      return RPCOutcome(metadata: begun.metadata, trailers: begun.trailers)
    } catch {
      return RPCOutcome(error, wasSent: call?.token != nil)
    }
  }
}
