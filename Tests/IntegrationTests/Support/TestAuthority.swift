import Foundation

/// Certificates of two authorities of a test's own, made by the openssl command.
final class TestAuthority: Sendable {
  let folder: String

  /// The roots that vouch for ``certificate``.
  var roots: String { "\(folder)/ca.pem" }
  /// Roots that do not.
  var otherRoots: String { "\(folder)/other-ca.pem" }
  /// A certificate for this machine, and its key.
  var certificate: String { "\(folder)/server.pem" }
  var key: String { "\(folder)/server.key" }

  /// The pin of ``key``, without its `sha256//`.
  let pin: String

  static func make() async throws -> TestAuthority {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "authority-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let script = """
      set -e
      cd '\(folder)'
      new='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
      for ca in ca other-ca; do
        openssl req -x509 $new -keyout $ca.key -out $ca.pem -subj "/CN=Test $ca" -days 2
      done
      openssl req $new -keyout server.key -out server.csr -subj /CN=server
      echo 'subjectAltName=DNS:localhost,IP:127.0.0.1' > server.ext
      openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem \\
        -days 2 -extfile server.ext
      openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der \\
        | openssl dgst -sha256 -binary | openssl base64
      """
    let process = try RunningProcess(
      URL(filePath: "/bin/bash"),
      ["-c", script],
      environment: [:],
      input: ""
    )
    let outcome = await process.outcome()
    guard outcome.status == 0, let pin = outcome.output.split(separator: "\n").last else {
      throw RunningBackend.StartFailure(said: outcome.everything)
    }
    return TestAuthority(folder: folder, pin: String(pin))
  }

  private init(folder: String, pin: String) { (self.folder, self.pin) = (folder, pin) }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}
