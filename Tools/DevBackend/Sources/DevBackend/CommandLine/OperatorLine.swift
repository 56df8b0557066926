extension BackendOptions {
  /// The line that tells whoever starts a backend where its inspector is, and with which tokens.
  ///
  /// - Returns: nil where nobody can reach them: they answer this machine only.
  public func operatorLine(_ ports: BackendPorts, _ inspector: BackendInspector) -> String? {
    let local = ["127.0.0.1", "localhost", "0.0.0.0", "::", "::1"]
    guard local.contains(configuration.host) else { return nil }
    let name = configuration.host == "::1" ? "[::1]" : "127.0.0.1"
    let scheme = configuration.tls == nil ? "http" : "https"
    let address = "\(scheme)://\(name):\(ports.http)/inspector#\(inspector.inspectorToken)"
    // Whoever gave a file reads it there.
    let admin = configuration.adminTokenFile == nil ? inspector.adminToken : nil
    guard logFormat == .json else {
      return "dev-backend inspector=\(address)" + (admin.map { " admin-token=\($0)" } ?? "")
    }
    let line = JSONValue.of([
      "event": .string("operator"),
      "inspector": .string(address),
      "admin_token": admin.map(JSONValue.string),
    ])
    return String(decoding: line.utf8, as: UTF8.self)
  }
}
