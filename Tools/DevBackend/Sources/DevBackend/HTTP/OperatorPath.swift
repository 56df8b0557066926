/// What an operator asks, not a client: it is served while the instance drains, and no fault hits
/// it.
enum OperatorPath {
  static func contains(_ path: String) -> Bool {
    ["/healthz", "/readyz", "/metrics", "/inspector"].contains(path)
      || path.hasPrefix("/admin/") || path.hasPrefix("/inspector/")
  }
}
