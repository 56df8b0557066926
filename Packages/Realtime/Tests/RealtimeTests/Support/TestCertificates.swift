import Foundation

/// Certificates of a CA of their own, made by the openssl command for one test run.
struct TestCertificates: Sendable {
  /// Made once, in a temporary directory, on a thread that may block.
  static func shared() async throws -> TestCertificates {
    try await withCheckedThrowingContinuation { done in
      DispatchQueue.global().async { done.resume(with: made) }
    }
  }

  private static let made = Result { try TestCertificates() }

  let directory: String

  var caFile: String { "\(directory)/ca.pem" }
  var otherCAFile: String { "\(directory)/other-ca.pem" }

  func certificate(_ name: String) -> String { "\(directory)/\(name).pem" }
  func key(_ name: String) -> String { "\(directory)/\(name).key" }

  /// `sha256//BASE64` of a certificate's public key, as the openssl command computes it.
  func pin(_ name: String) throws -> String {
    let pipeline =
      "openssl x509 -in '\(certificate(name))' -pubkey -noout | openssl pkey -pubin -outform der"
      + " | openssl dgst -sha256 -binary | openssl base64"
    return "sha256//" + (try Self.run("/bin/sh", ["-c", pipeline])).filter { $0 != "\n" }
  }

  private init() throws {
    directory = NSTemporaryDirectory() + "realtime-tests-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: directory,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    for ca in ["ca", "other-ca"] {
      try openSSL([
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
        key(ca), "-out",
        certificate(ca), "-subj", "/CN=Test \(ca)", "-days", "2",
      ])
    }
    try issue("good", "DNS:localhost,IP:127.0.0.1")
    try issue("elsewhere", "DNS:elsewhere.example,IP:192.0.2.1")
    try issue("expired", "DNS:localhost,IP:127.0.0.1", days: -1)
  }

  private func issue(_ name: String, _ names: String, days: Int = 2) throws {
    let request = "\(directory)/\(name).csr"
    let extensions = "\(directory)/\(name).ext"
    try openSSL([
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
      key(name), "-out", request, "-subj", "/CN=\(name)",
    ])
    try "subjectAltName=\(names)\n".write(toFile: extensions, atomically: true, encoding: .utf8)
    try openSSL([
      "x509", "-req", "-in", request, "-CA", caFile, "-CAkey", key("ca"), "-CAcreateserial",
      "-out", certificate(name), "-days", "\(days)", "-extfile", extensions,
    ])
  }

  private func openSSL(_ arguments: [String]) throws {
    _ = try Self.run("/usr/bin/env", ["openssl"] + arguments)
  }

  private static func run(_ path: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    // A few hundred bytes at most, which the pipe holds until they are read.
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    let status = try process.runToEnd()
    guard status == 0 else { throw Failure(command: arguments.first ?? path) }
    let data = output.fileHandleForReading.availableData
    return String(decoding: data, as: UTF8.self)
  }

  private struct Failure: Error {
    let command: String
  }
}
