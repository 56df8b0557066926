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
let terminal = Terminal()
let environment = ProcessSurroundings.environment
CrashReports.keepMemoryOut(setting: environment["SWIFT_BACKTRACE"])
guard StandardStreams.hasRoom() else {
  let json =
    CommandLine.arguments.contains("--json") || environment["HEADLESS_CLIENT_JSON"] == "1"
  let style = terminal.style(json: json, quiet: false, verbose: false, environment: environment)
  let error = ClientError(
    .storage,
    "Hardly a file descriptor is left",
    advice: "Raise the limit, with ulimit -n 256 for one"
  )
  Console(style: style, sink: terminal).error(error)
  _exit(error.exitStatus.rawValue)
}
let interruptions = Interruptions()

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
let text = ProcessSurroundings.text
let command = Task { await application.run(text) }
interruptions.onInterrupt {
  command.cancel()
  return terminal.restoreEcho(isInterrupted: true) ? .yes : .no
}
let status = await command.value
// Without the exit handlers of the libraries, which other threads may still be in.
_exit((interruptions.exitStatus ?? status).rawValue)
