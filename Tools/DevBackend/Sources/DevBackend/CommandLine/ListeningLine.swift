extension BackendConfiguration {
  /// The line that says where a backend listens.
  public func listeningLine(_ ports: BackendPorts, usesJSON: Bool) -> String {
    let scheme = tls == nil ? "http" : "https"
    // An IPv6 address needs brackets in a URL.
    let name = host.contains(":") ? "[\(host)]" : host
    let (http, realtime) =
      ("\(scheme)://\(name):\(ports.http)", "\(scheme)://\(name):\(ports.realtime)")
    let database = self.database.map(Self.shown) ?? ":memory:"
    guard usesJSON else {
      return "dev-backend listening http=\(http) realtime=\(realtime) database=\(database)"
        + " token-model=\(tokenModel.rawValue)"
    }
    let line = JSONValue.of([
      "event": .string("listening"),
      "http": .string(http),
      "http_port": .integer(Int64(ports.http)),
      "realtime": .string(realtime),
      "realtime_port": .integer(Int64(ports.realtime)),
      "database": .string(database),
      "token_model": .string(tokenModel.rawValue),
    ])
    return String(decoding: line.utf8, as: UTF8.self)
  }

  /// A database's name without what a URL may hold of secrets: user, password and options.
  static func shown(_ database: String) -> String {
    guard let scheme = database.firstRange(of: "://") else { return database }
    let rest = database[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
    // The last one, as a password may hold others.
    let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
    return "\(database[..<scheme.upperBound])\(place)"
  }
}
