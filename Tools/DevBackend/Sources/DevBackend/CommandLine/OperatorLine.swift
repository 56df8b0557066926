extension BackendOptions {
  /// The line that tells whoever starts a backend the token of `/admin`.
  ///
  /// - Returns: nil where a file holds it.
  public func operatorLine(_ inspector: BackendInspector) -> String? {
    guard configuration.adminTokenFile == nil else { return nil }
    guard logFormat == .json else { return "dev-backend admin-token=\(inspector.adminToken)" }
    let line = JSONValue.of([
      "event": .string("operator"), "admin_token": .string(inspector.adminToken),
    ])
    return String(decoding: line.utf8, as: UTF8.self)
  }
}
