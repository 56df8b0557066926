/// The one key that a vault keeps: 32 random bytes that seal a store's keyset and nothing else.
///
/// It lies in locked memory, is overwritten when dropped, and shows itself to nobody (R9).
public struct RootKey: Sendable {
  /// The length in bytes.
  public static let length = 32

  private let memory: LockedMemory

  /// A key from its bytes; nil unless there are 32.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == RootKey.length else { return nil }
    memory = LockedMemory(count: RootKey.length) { memory in memory.copyBytes(from: bytes) }
  }

  /// A fresh key.
  public static func random(from source: RandomSource = .system) -> RootKey {
    RootKey(source)
  }

  private init(_ source: RandomSource) {
    memory = LockedMemory(count: RootKey.length) { source.fill($0) }
  }

  /// The bytes, for the vault that keeps them.
  ///
  /// The pointer is valid during the call only.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try memory.withBytes(body)
  }

  /// Tells root keys apart without telling anything about them.
  var id: UInt32 {
    memory.withBytes { key in
      Sodium.hash(Array("root key id".utf8), length: 16, key: key).prefix(4)
        .reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  func isSame(as other: RootKey) -> Bool {
    withBytes { mine in
      other.withBytes { theirs in
        zip(mine, theirs).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
      }
    }
  }
}

extension RootKey: CustomStringConvertible, CustomReflectable {
  /// `<root key>`, always.
  public var description: String { "<root key>" }
  /// Shows no child.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
