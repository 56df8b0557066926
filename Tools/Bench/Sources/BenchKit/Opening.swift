import Foundation

/// What opening a store up to the first read costs a fresh process.
package struct Opening: Codable, Sendable {
  /// Nanoseconds of processors.
  package let processor: Double
  /// Nanoseconds by the clock.
  package let time: Double
  /// How many bytes of memory came to those of the process before.
  package let memory: Double

  /// Measures in this process; then nothing else may be measured in it.
  package static func measure(_ open: () async throws -> Void) async throws -> Opening {
    let memory = ProcessMemory.resident()
    let (processor, time) = (Clock.processorTime(), Clock.now())
    try await open()
    return Opening(
      processor: Double(Clock.processorTime() - processor),
      time: Double(Clock.now() - time),
      memory: Double(ProcessMemory.resident() - memory)
    )
  }

  /// Prints it for the parent.
  package func report() throws { try Output.line(JSONEncoder().encode(self)) }

  /// Measures in fresh processes.
  package static func measure(_ count: Int, _ arguments: [String]) throws -> [Opening] {
    try (0..<count).map { _ in
      try JSONDecoder().decode(Opening.self, from: Child(arguments).finish())
    }
  }
}
