#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif
internal import HeadlessClient

StandardStreams.occupy()
ProcessSurroundings.quietenLibraries()
let interruptions = Interruptions()
let terminal = Terminal()
let environment = ProcessSurroundings.environment

let application = Application(
  commands: [DemoCommand.self] + CommandTable.all,
  surroundings: Application.Surroundings(
    environment: environment,
    sink: terminal,
    input: terminal,
    style: { json, quiet, verbose in
      terminal.style(json: json, quiet: quiet, verbose: verbose, environment: environment)
    },
    interruptions: interruptions
  )
)
let command = Task { await application.run(Array(CommandLine.arguments.dropFirst())) }
interruptions.onInterrupt {
  command.cancel()
  return terminal.restoreEcho() ? .yes : .no
}
let status = await command.value
// Without the exit handlers of the libraries, which other threads may still be in.
_exit((interruptions.exitStatus ?? status).rawValue)
