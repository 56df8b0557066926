package import Foundation

/// Another process of this program, for what must be measured in a fresh one or beside one.
package final class Child {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts this program with other arguments, or another one; it should end when its input does.
  ///
  /// - Throws: what starting a process throws.
  package init(_ arguments: [String], of program: String = Child.program) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Ends its input, waits for its end, and gives all that it printed.
  ///
  /// - Throws: ``Failure`` where it failed.
  package func finish() throws -> Data {
    try input.fileHandleForWriting.close()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure("a child process ended with status \(process.terminationStatus)")
    }
    return data
  }

  /// The first line that it prints.
  package func line() -> String {
    var text = ""
    while !text.hasSuffix("\n") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { break }
      text += String(decoding: data, as: UTF8.self)
    }
    return text.trimmingCharacters(in: .newlines)
  }

  /// Says something to the parent.
  package static func report(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Waits until it has printed something.
  package func waitForOutput() { _ = output.fileHandleForReading.availableData }

  /// This program's path.
  package static let program =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    ?? CommandLine.arguments[0]

  /// Says to the parent that the work begins.
  package static func reportReady() { FileHandle.standardOutput.write(Data("ready\n".utf8)) }

  /// Whether the parent has ended this process's input; waits so long for it.
  package static func isToldToEnd(within milliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, milliseconds) > 0
  }
}
