internal import AuthNetworking

/// The dev backend, which is what a backend on this machine is.
enum LocalBackend {
  /// The port of a URL on this machine; nil for one elsewhere, or with TLS.
  static func port(of url: HTTPURL) -> Int? {
    let isHere = ["127.0.0.1", "localhost", "[::1]", "::1"].contains(url.origin.host)
    return isHere && url.origin.scheme == "http" ? url.origin.port : nil
  }

  /// The command that starts it in the background, with the realtime service where that is known
  /// to be on this machine, too.
  static func start(port: Int, realtimeURL: String?) -> String {
    let url = realtimeURL.flatMap { try? HTTPURL(parsing: $0) }
    let realtime = url.flatMap(LocalBackend.port).map(String.init) ?? "0"
    return "dev-backend --port \(port) --realtime-port \(realtime) --quiet &"
  }
}
