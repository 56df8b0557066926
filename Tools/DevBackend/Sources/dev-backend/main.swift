internal import DevBackend
internal import DevBackendCluster
internal import Dispatch

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Android)
internal import Android
#else
internal import Glibc
#endif

/// Writes a line in one call, so that lines of several threads do not mix.
@Sendable
func writeLine(_ line: String, to descriptor: Int32) {
  let bytes = Array("\(line)\n".utf8)
  var start = 0
  while start < bytes.count {
    let written = bytes[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if written < 0 && errno == EINTR { continue }
    guard written > 0 else { return }
    start += written
  }
}

/// Sources that tell about the signals that stop the program; made before it starts, so that
/// none that comes meanwhile is lost.
func stopSignals(_ arrived: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
  [SIGTERM, SIGINT].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: arrived)
    source.activate()
    return source
  }
}

/// Takes as many descriptors as the system gives: each client and each stream needs one, and shells
/// begin with 1,024.
func raiseDescriptorLimit() {
  #if canImport(Glibc)
  let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  let kind = RLIMIT_NOFILE
  #endif
  var limit = rlimit()
  guard getrlimit(kind, &limit) == 0 else { return }
  limit.rlim_cur = limit.rlim_max
  setrlimit(kind, &limit)
}

func run(_ options: BackendOptions) async -> Int32 {
  raiseDescriptorLimit()
  let (stops, stop) = AsyncStream<Void>.makeStream()
  let sources = stopSignals { stop.yield() }
  // A reader of our output that goes away must not end the backend.
  signal(SIGPIPE, SIG_IGN)
  var configuration = options.configuration
  configuration.linkClusterLibraries()
  if !options.isQuiet {
    let isJSON = options.logFormat == .json
    configuration.log = { writeLine(isJSON ? $0.json : $0.text, to: STDERR_FILENO) }
  }
  let backend = DevBackend(configuration)
  do {
    let ports = try await backend.start()
    let line = try options.operatorLine(ports, backend.inspector())
    if let line, !options.isQuiet { writeLine(line, to: STDERR_FILENO) }
    writeLine(configuration.listeningLine(ports, usesJSON: options.usesJSON), to: STDOUT_FILENO)
  } catch {
    writeLine("dev-backend: \(error.message)", to: STDERR_FILENO)
    return error.exitStatus
  }
  for await _ in stops { break }
  // Who asks twice does not want to wait.
  Task { for await _ in stops { exit(1) } }
  await backend.stop(within: options.drainLimit)
  for source in sources { source.cancel() }
  return 0
}

switch BackendCommand(
  arguments: Array(CommandLine.arguments.dropFirst()),
  environment: ProcessInfo.processInfo.environment
) {
case .help: writeLine(BackendHelp.text, to: STDOUT_FILENO)
case .version: writeLine(BackendHelp.version, to: STDOUT_FILENO)
case .misuse(let message):
  writeLine(message, to: STDERR_FILENO)
  exit(64)
case .run(let options): exit(await run(options))
}
