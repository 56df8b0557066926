internal import CSodium

/// Where keys and nonces come from.
///
/// Tests that need fixed vectors bring their own.
public struct RandomSource: Sendable {
  private let generate: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// A source that fills memory with random bytes.
  ///
  /// - Parameter fill: must never repeat itself outside tests, or nonces do.
  public init(_ fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) {
    generate = fill
  }

  /// The operating system's generator, by libsodium.
  public static let system = RandomSource { memory in
    guard let start = memory.baseAddress, Sodium.isReady else { return }
    randombytes_buf(start, memory.count)
  }

  /// Fills memory with random bytes.
  func fill(_ memory: UnsafeMutableRawBufferPointer) { generate(memory) }

  /// So many random bytes.
  func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeMutableBytes { fill($0) }
    return bytes
  }

  /// A random number, never 0: generations and key ids keep 0 for "none".
  func nonZero<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
    while true {
      let number = bytes(Number.bitWidth / 8).reduce(Number.zero) { $0 << 8 | Number($1) }
      if number > 0 { return number }
    }
  }
}
