import Foundation

/// Python with grpcio and its protoc, from a virtual environment under the package's `.build`, made on first use.
enum GRPCIO {
  enum Availability: Sendable {
    case python(String)
    case missing(reason: String)
  }

  /// Found or made once, on a thread that may block.
  static func availability() async -> Availability {
    await withCheckedContinuation { done in
      DispatchQueue.global().async { done.resume(returning: found) }
    }
  }

  /// Starts a script; its standard input stays open until it ends.
  static func start(
    _ python: String,
    _ arguments: [String],
    output: Pipe,
    whenEnded: (@Sendable (Process) -> Void)? = nil
  ) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [python] + arguments
    process.standardOutput = output
    process.standardInput = Pipe()
    process.terminationHandler = whenEnded
    try process.run()
    return process
  }

  private static let found = find()

  private static func find() -> Availability {
    if hasGRPC("python3") { return .python("python3") }
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let environment = package.appendingPathComponent(".build/grpcio").path
    let python = "\(environment)/bin/python"
    if hasGRPC(python) { return .python(python) }
    guard run(["python3", "-m", "venv", environment]) else {
      return .missing(reason: "python3 with its venv module is not there")
    }
    guard
      run([python, "-m", "pip", "install", "--quiet", "--retries", "1", "grpcio", "grpcio-tools"])
    else {
      return .missing(reason: "pip cannot reach a registry that has grpcio")
    }
    return hasGRPC(python)
      ? .python(python) : .missing(reason: "grpcio was installed but cannot be imported")
  }

  private static func hasGRPC(_ python: String) -> Bool {
    run([python, "-c", "import grpc, grpc_tools"])
  }

  private static func run(_ command: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return (try? process.runToEnd()) == 0
  }
}
