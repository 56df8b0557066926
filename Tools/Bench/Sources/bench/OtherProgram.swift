import BenchKit
import Foundation

/// A program that measures another store and prints the same lines.
enum OtherProgram {
  /// Runs it, and passes on the lines that are asked for.
  ///
  /// One that fails is said, and stops nothing: what the machine lacks is not compared.
  static func run(_ command: [String], _ options: Options) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      Output.progress("\(command[0]) cannot be started, and is left out")
      return
    }
    let lines = output.fileHandleForReading.readDataToEndOfFile().split(separator: 0x0A)
    process.waitUntilExit()
    for line in lines {
      guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
        let measure = object["measure"] as? String
      else {
        Output.progress("\(command[0]) printed a line that is no measurement")
        continue
      }
      if options.includes(measure) { try Output.line(line) }
    }
    if process.terminationStatus != 0 {
      Output.progress("\(command[0]) ended with status \(process.terminationStatus)")
    }
  }
}
