/// The same work for every store: what it holds, what is read, what is written.
package enum Workload {
  /// Bytes of a token.
  package static let tokenBytes = 800
  /// Reads go around among so many entries.
  package static let hotEntries = 16

  /// The name of an entry.
  package static func key(_ index: Int) -> String { "account.\(index).token" }

  /// Text of some length, as a token is; another one for each seed.
  package static func text(_ bytes: Int, seed: Int) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<bytes).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return alphabet[Int(state >> 58)]
    }
  }

  /// The keys that are read, spread over the store.
  package static func hotKeys(of entries: Int) -> [String] {
    (0..<hotEntries).map { key($0 * max(1, entries / hotEntries)) }
  }

  /// The four values of a session: 800, 300, 36 and 24 bytes.
  package static func session(_ seed: Int) -> [(key: String, value: [UInt8])] {
    [
      ("session.accessToken", text(tokenBytes, seed: seed)),
      ("session.refreshToken", text(300, seed: seed &+ 1)),
      ("session.deviceID", text(36, seed: seed &+ 2)),
      ("session.expiry", text(24, seed: seed &+ 3)),
    ]
  }
}
