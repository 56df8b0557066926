import Foundation

/// `openssl s_server`, which knows nothing of HTTP/2 and chooses no ALPN unless it is told to.
final class StandardTLSServer: Sendable {
  let port: Int
  private let process: Process

  init(
    _ certificates: TestCertificates,
    certificate name: String = "good",
    options: [String] = []
  ) async throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [
        "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificates.certificate(name),
        "-key", certificates.key(name),
      ] + options
    let output = Pipe()
    let input = Pipe()
    process.standardOutput = output
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
    // It says “ACCEPT 127.0.0.1:PORT” when it listens.
    port = await withCheckedContinuation { found in
      DispatchQueue.global().async {
        var text = ""
        while !text.contains("\n") || !text.contains("ACCEPT") {
          let data = output.fileHandleForReading.availableData
          if data.isEmpty { break }
          text += String(decoding: data, as: UTF8.self)
        }
        let line = text.split(separator: "\n").first { $0.contains("ACCEPT") } ?? ""
        found.resume(returning: Int(line.split(separator: ":").last ?? "") ?? 0)
      }
    }
  }

  func stop() { process.kill() }

  deinit { stop() }
}
