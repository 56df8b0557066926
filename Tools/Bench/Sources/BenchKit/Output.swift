package import Foundation

/// Lines of JSON to standard output, progress to standard error.
package enum Output {
  /// Prints a measurement.
  package static func print(_ measurement: Measurement) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try line(encoder.encode(measurement))
  }

  /// Prints a line that is JSON already.
  package static func line(_ json: Data) throws {
    try FileHandle.standardOutput.write(contentsOf: json + Data("\n".utf8))
  }

  /// Says what is being done.
  package static func progress(_ text: String) {
    FileHandle.standardError.write(Data("bench: \(text)\n".utf8))
  }
}
