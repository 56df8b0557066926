import ByteStream
import Foundation
import RealtimeTesting
import Testing

/// nginx with TLS in front of a gRPC server, as gateways stand in front of one.
final class Nginx: Sendable {
  var port: Int { reserved.number }

  private let reserved = ReservedPort()
  private let process: Process
  private let directory: URL

  /// Starts it, or skips the test and says why where there is none.
  ///
  /// - Parameters:
  ///   - upstream: the port of the server behind it, in the clear.
  ///   - certificates: whose good one it shows.
  ///   - requestsPerConnection: after so many it says goodbye to a connection.
  /// - Throws: when it cannot be started, or does not answer within a minute.
  init(
    upstream: Int,
    _ certificates: TestCertificates,
    requestsPerConnection: Int = 1000
  ) async throws {
    let program = try await Self.program()
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("realtime-nginx-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let file = directory.appendingPathComponent("nginx.conf")
    let port = reserved.number
    let text = Self.configuration(port, upstream, certificates, requestsPerConnection, directory)
    try Data(text.utf8).write(to: file)
    process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    let errors = directory.appendingPathComponent("error.log").path
    process.arguments = ["-p", directory.path, "-c", file.path, "-e", errors]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    try await waitUntilItAnswers()
  }

  deinit {
    process.kill()
    try? FileManager.default.removeItem(at: directory)
  }

  private static func program() async throws -> String {
    let found: String? = await withCheckedContinuation { done in
      DispatchQueue.global().async { done.resume(returning: Self.found) }
    }
    if let found { return found }
    try Test.cancel("skipped: nginx is not installed, and apt-get cannot fetch it")
  }

  private static let found = find()

  /// The installed one, or Debian's, unpacked under the package's `.build`: installing it would
  /// start a web server on whoever's machine this is.
  private static func find() -> String? {
    let places = ["/usr/sbin", "/usr/local/sbin", "/usr/bin", "/opt/homebrew/bin"]
    let installed = places.map { "\($0)/nginx" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    if let installed { return installed }
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let folder = package.appendingPathComponent(".build/nginx")
    let program = folder.appendingPathComponent("usr/sbin/nginx").path
    if run([program, "-v"], in: nil) { return program }
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    guard run(["apt-get", "download", "nginx"], in: folder),
      run(["sh", "-c", "dpkg-deb -x nginx_*.deb ."], in: folder), run([program, "-v"], in: nil)
    else { return nil }
    return program
  }

  private static func run(_ command: [String], in folder: URL?) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return (try? process.runToEnd()) == 0
  }

  private func waitUntilItAnswers() async throws {
    let loop = EventLoop()
    defer { loop.stop() }
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      do {
        _ = try await Connector(loop: loop, tls: nil)
          .connect(host: "127.0.0.1", port: port, deadline: deadline)
        return
      } catch {
        guard process.isRunning, ContinuousClock.now < deadline else { throw error }
        // It tells nobody when it listens.
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  private static func configuration(
    _ port: Int,
    _ upstream: Int,
    _ certificates: TestCertificates,
    _ requestsPerConnection: Int,
    _ directory: URL
  ) -> String {
    """
    daemon off;
    master_process off;
    pid \(directory.path)/nginx.pid;
    events {}
    http {
      access_log off;
      client_body_temp_path \(directory.path)/body;
      proxy_temp_path \(directory.path)/proxy;
      fastcgi_temp_path \(directory.path)/fastcgi;
      uwsgi_temp_path \(directory.path)/uwsgi;
      scgi_temp_path \(directory.path)/scgi;
      keepalive_requests \(requestsPerConnection);
      client_max_body_size 0;
      server {
        listen 127.0.0.1:\(port) ssl http2;
        ssl_certificate \(certificates.certificate("good"));
        ssl_certificate_key \(certificates.key("good"));
        location / { grpc_pass grpc://127.0.0.1:\(upstream); }
        location /gone/ { grpc_pass grpc://127.0.0.1:1; }
        location /forbidden/ { return 403; }
      }
    }
    """
  }
}
