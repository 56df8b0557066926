/// What libcurl says of a connection, less what stands before it already.
enum TransportWords {
  /// Whether it is a proxy that cannot be reached, or does not let the request through: libcurl
  /// names it, or another host than the one that was asked for.
  static func isAboutProxy(_ message: String) -> Bool {
    let words = message.lowercased()
    if words.contains("proxy") || words.contains("connect tunnel") { return true }
    guard let place = message.firstRange(of: ": Failed to connect to ") else { return false }
    return !isHost(ofConnect: message[place.upperBound...], in: message[..<place.lowerBound])
  }

  private static func isHost(ofConnect rest: Substring, in origin: Substring) -> Bool {
    origin.contains(rest.prefix { $0 != " " })
  }

  /// The message with the host named once: it begins with the origin, and libcurl repeats the host.
  ///
  /// Another host is a proxy, and stays.
  static func onceNamed(_ message: String) -> String {
    if let place = message.firstRange(of: ": Failed to connect to "),
      isHost(ofConnect: message[place.upperBound...], in: message[..<place.lowerBound]),
      let time = message[place.upperBound...].firstRange(of: " ms: ")
    {
      return message[..<place.lowerBound] + ": " + message[time.upperBound...]
    }
    let words = ": Could not resolve host: "
    if let place = message.firstRange(of: words) {
      let host = message[place.upperBound...]
      if message[..<place.lowerBound].contains(host) {
        return message[..<place.lowerBound] + ": Could not resolve the host"
      }
    }
    return message
  }
}
