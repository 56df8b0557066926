extension HTTPURL {
  /// The URL that a reference leads to from here (RFC 3986, section 5), as in `Location`.
  ///
  /// Servers write spaces and other characters there that belong encoded: they are. A host that
  /// was named with a backslash or a user name is not gone to.
  ///
  /// - Returns: nil where it is none that a request may be sent to.
  func resolving(_ reference: String) -> HTTPURL? {
    let bytes = Array(reference.utf8)[...].prefix { $0 != UInt8(ascii: "#") }
    guard let encoded = try? URLCharacters.encoded(bytes) else { return nil }
    let text = String(decoding: encoded, as: UTF8.self)
    switch text.first {
    case nil: return self
    case "/" where text.hasPrefix("//"): return HTTPURL.normal("\(origin.scheme):\(text)")
    case "/": return HTTPURL(origin.text + HTTPURL.withoutDotSegments(text))
    case "?": return HTTPURL(origin.text + path + text)
    default: break
    }
    // A colon before any slash or query ends a scheme.
    if text.prefix(while: { $0 != "/" && $0 != "?" }).contains(":") {
      return HTTPURL.normal(text)
    }
    let directory = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
    return HTTPURL(origin.text + HTTPURL.withoutDotSegments(directory + text))
  }

  /// An absolute URL with no dot segments: RFC 3986 removes them here too.
  private static func normal(_ text: String) -> HTTPURL? {
    HTTPURL(text).map { HTTPURL(origin: $0.origin, target: withoutDotSegments($0.target)) }
  }

  /// Removes `.` and `..` from the path of a target, which stays below the root.
  private static func withoutDotSegments(_ target: String) -> String {
    let path = target.prefix { $0 != "?" }
    let query = target[path.endIndex...]
    var segments: [Substring] = []
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      switch part {
      case ".": if isLast { segments.append("") }
      case "..":
        segments = segments.dropLast()
        if isLast { segments.append("") }
      default: segments.append(part)
      }
    }
    return "/" + segments.joined(separator: "/") + query
  }
}
