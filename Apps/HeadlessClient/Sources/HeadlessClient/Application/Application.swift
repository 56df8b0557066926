internal import AuthNetworking

/// The program from command line to exit status, with its surroundings passed in.
package struct Application {
  private let commands: [any Command.Type]
  private let surroundings: Surroundings

  /// What the program runs in: the real process, or a test's.
  package struct Surroundings {
    /// The environment.
    package var environment: [String: String]
    /// Where lines go.
    package var sink: any OutputSink
    /// What a person types.
    package var input: any InputSource
    /// How lines look, given whether JSON, quiet and verbose are on.
    package var style: (_ json: Bool, _ quiet: Bool, _ verbose: Bool) -> Style
    /// The parts that differ in tests.
    package var parts: Composition.Parts
    /// Ctrl-C; nil in tests.
    package var interruptions: Interruptions?

    /// Surroundings from their parts.
    package init(
      environment: [String: String],
      sink: any OutputSink,
      input: any InputSource,
      style: @escaping (_ json: Bool, _ quiet: Bool, _ verbose: Bool) -> Style,
      parts: Composition.Parts = Composition.Parts(),
      interruptions: Interruptions? = nil
    ) {
      self.environment = environment
      self.sink = sink
      self.input = input
      self.style = style
      self.parts = parts
      self.interruptions = interruptions
    }
  }

  /// The program with these commands, in the order of help.
  package init(commands: [any Command.Type], surroundings: Surroundings) {
    self.commands = commands
    self.surroundings = surroundings
  }

  /// Runs one command line.
  ///
  /// - Parameter arguments: without the program's name.
  /// - Returns: what the process ends with.
  package func run(_ arguments: [String]) async -> CommandStatus {
    await run(ProcessText(arguments))
  }

  /// Runs one command line, of which some may not be UTF-8.
  ///
  /// - Parameter text: what the process was given.
  /// - Returns: what the process ends with.
  package func run(_ text: ProcessText) async -> CommandStatus {
    let arguments = text.arguments
    let environment = surroundings.environment
    let specs = commands.map { $0.spec }
    let invocation: Invocation
    do {
      try text.checkVariables()
      let parser = ArgumentParser(commands: specs, globals: GlobalOptions.all)
      invocation = try parser.parse(arguments, environment: environment)
      try text.checkArguments(invocation)
    } catch {
      // The line that could not be read still says in which form it wants its error.
      let jsonVariable = environment["HEADLESS_CLIENT_JSON"].flatMap(ValueForm.truth) ?? false
      let isJSON = jsonVariable || arguments.prefix { $0 != "--" }.contains("--json")
      let console = Console(
        style: surroundings.style(isJSON, false, false),
        sink: surroundings.sink
      )
      console.error(error)
      return error.exitStatus
    }
    let style = surroundings.style(
      invocation.isOn("json"),
      invocation.isOn("quiet"),
      invocation.isOn("verbose")
    )
    let console = Console(style: style, sink: surroundings.sink)
    surroundings.interruptions?.onInterrupt {
      console.endProgress()
      return .no
    }
    do {
      try await run(invocation, specs, console)
      return .done
    } catch {
      console.clearLiveLine()
      console.error(error)
      return error.exitStatus
    }
  }

  private func run(
    _ invocation: Invocation,
    _ specs: [CommandSpec],
    _ console: Console
  ) async throws(ClientError) {
    if invocation.wantsVersion {
      let version = ClientVersion.number
      return try console.result(
        .members(["version": .string(version)]),
        "headless-client \(version)"
      )
    }
    if invocation.wantsHelp {
      let help = HelpText(commands: specs, globals: GlobalOptions.all, width: console.style.width)
      let text =
        invocation.command.map(help.command) ?? invocation.group.map(help.group) ?? help.overview
      return try console.result(.members(["help": .string(text)]), text)
    }
    guard let command = commands.first(where: { $0.spec.path == invocation.command?.path }) else {
      throw .usage("no command given")
    }
    let settings = try GlobalSettings(invocation, environment: surroundings.environment)
    let composition = Composition(
      settings: settings,
      environment: surroundings.environment,
      input: surroundings.input,
      console: console,
      parts: surroundings.parts
    )
    let context = CommandContext(
      invocation: invocation,
      settings: settings,
      console: console,
      input: surroundings.input,
      environment: surroundings.environment,
      client: composition,
      table: specs,
      interruptions: surroundings.interruptions
    )
    do {
      composition.showsWaiting = command.showsWaiting
      if command.usesProfile { try await composition.keepProfile() }
      try await command.run(context)
      await composition.close()
    } catch {
      let error = composition.explained(error)
      await composition.close()
      throw error
    }
  }
}
