/// Bytes in which many others are looked for: an index of every 8 bytes of them.
struct Remains {
  private var places: Set<UInt64> = []

  init(_ bytes: [UInt8]) {
    places.reserveCapacity(bytes.count)
    bytes.withUnsafeBytes { bytes in
      guard bytes.count >= 8 else { return }
      for offset in 0...bytes.count - 8 {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        if word != 0 { places.insert(word) }
      }
    }
  }

  /// Whether every 8 bytes of these are there, which chance does not bring about.
  func holds(_ bytes: some Collection<UInt8>) -> Bool {
    Array(bytes).withUnsafeBytes { bytes in
      (0...bytes.count - 8).allSatisfy {
        places.contains(bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
      }
    }
  }
}
