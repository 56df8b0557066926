/// What libcurl says of a connection, less what stands before it already.
enum TransportWords {
  /// The message with the host named once: it begins with the origin, and libcurl repeats the host.
  static func onceNamed(_ message: String) -> String {
    if let place = message.firstRange(of: ": Failed to connect to "),
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
