internal import SessionModels

/// Where a dialect signs in, refreshes and signs out at one backend, worked out once.
struct CredentialPaths: Sendable {
  private let origin: HTTPURL.Origin
  /// Each path as its segments, with nothing percent-encoded.
  private let paths: [[[UInt8]]]
  /// How long each of them is without its slashes.
  private let lengths: [Int]

  /// The paths of a dialect at a backend; none where its prefix is no path.
  init(_ dialect: any AuthAPI, base: HTTPURL) {
    let device = DeviceID(rawValue: "")
    let nothing = Secret("")
    let calls = [
      dialect.login(Credentials(identifier: "", password: nothing), device: device),
      dialect.register(Registration(username: "", email: "", password: nothing), device: device),
      dialect.refresh(nothing, device: device),
      dialect.logout(refreshToken: nil, device: device),
    ]
    origin = base.origin
    paths = calls.compactMap { call in
      guard let apiBase = try? dialect.apiBase(base),
        let url = try? apiBase.appending(path: call.path)
      else { return nil }
      return URLCharacters.segments(of: url.path)
    }
    lengths = paths.map { path in path.reduce(0) { $0 + $1.count } }
  }

  /// Whether a URL is one of them.
  func contains(_ url: HTTPURL) -> Bool {
    guard url.origin == origin, mayContain(url.target) else { return false }
    let path = URLCharacters.segments(of: url.path)
    return paths.contains(path)
  }

  /// Whether the length of a path leaves it open that it is one of them, however it is encoded.
  private func mayContain(_ target: String) -> Bool {
    var length = 0
    for byte in target.utf8 {
      switch byte {
      case UInt8(ascii: "%"): return true
      case UInt8(ascii: "?"): return lengths.contains(length)
      case UInt8(ascii: "/"): break
      default: length += 1
      }
    }
    return lengths.contains(length)
  }
}
