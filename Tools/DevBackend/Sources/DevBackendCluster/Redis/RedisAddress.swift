internal import DevBackend

/// Where a Redis server is: `redis://user:password@host:port/number`.
struct RedisAddress: Equatable, Sendable {
  var host = "127.0.0.1"
  var port: Int32 = 6379
  var user: String?
  var password: String?
  /// The number of the database.
  var database = 0

  /// Nil for what is no such URL.
  init?(_ url: String) {
    guard url.hasPrefix("redis://") else { return nil }
    var rest = url.dropFirst("redis://".count)
    // The last one, as a password may hold others.
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let names = Self.decoded(parts) else { return nil }
      user = names[0].isEmpty ? nil : names[0]
      password = names.count > 1 ? names[1] : nil
      rest = rest[rest.index(after: at)...]
    }
    let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count > 1, !parts[1].isEmpty {
      guard let number = Int(parts[1]), number >= 0 else { return nil }
      database = number
    }
    guard readPlace(parts.first ?? "") else { return nil }
  }

  private mutating func readPlace(_ place: Substring) -> Bool {
    var place = place
    if place.hasPrefix("[") {
      guard let end = place.firstIndex(of: "]") else { return false }
      host = String(place[place.index(after: place.startIndex)..<end])
      place = place[place.index(after: end)...]
    } else {
      let name = place.prefix { $0 != ":" }
      if !name.isEmpty { host = String(name) }
      place = place.dropFirst(name.count)
    }
    guard !place.isEmpty else { return !host.isEmpty }
    guard place.first == ":", let number = UInt16(place.dropFirst()), number > 0 else {
      return false
    }
    port = Int32(number)
    return !host.isEmpty
  }

  private static func decoded(_ parts: [Substring]) -> [String]? {
    let texts = parts.map { PercentEncoding.decode($0) }
    return texts.contains(nil) ? nil : texts.compactMap(\.self)
  }
}
