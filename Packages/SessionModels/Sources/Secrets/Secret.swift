#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// A string or bytes that nothing prints (R9): a token, a password, a seed.
///
/// No description, dump, mirror or string interpolation shows more than ``redacted``. It is not
/// `Codable`, so it cannot be encoded by accident; whoever persists it says so with
/// ``reveal()`` or ``withBytes(_:)``. Two secrets are compared in constant time. The bytes are
/// overwritten when the last copy goes; a `String` made from them is beyond reach.
public struct Secret: Sendable {
  private let storage: Storage

  /// A secret from text, kept as its UTF-8 bytes.
  public init(_ text: String) {
    var text = text
    self.storage = text.withUTF8 { Storage(copying: $0) }
  }

  /// A secret from bytes of any kind, UTF-8 or not.
  public init(bytes: some Collection<UInt8>) {
    self.storage = Storage(copying: bytes)
  }

  /// The number of bytes.
  public var count: Int { storage.bytes.count }

  /// Whether it holds no byte at all.
  public var isEmpty: Bool { storage.bytes.isEmpty }

  /// The text itself, for the one place that sends or stores it.
  ///
  /// Bytes that are not UTF-8 are repaired, so use ``withBytes(_:)`` for keys and seeds.
  ///
  /// - Returns: the secret as a `String`, which nothing overwrites.
  public func reveal() -> String { String(decoding: storage.bytes, as: UTF8.self) }

  /// Lends the bytes without copying them.
  ///
  /// - Parameter body: gets the bytes, which are valid during the call only.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(storage.bytes))
  }

  /// What may be shown: the last 6 characters, and of a secret shorter than 16 nothing (R9).
  ///
  /// A secret that is not all visible ASCII is no token but a password or a key, and shows
  /// nothing either; so no control character gets into a log by this way.
  public var redacted: String {
    let bytes = storage.bytes
    guard bytes.count >= 16, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return "<redacted>"
    }
    return "…" + String(decoding: bytes.suffix(6), as: UTF8.self)
  }
}

extension Secret: Equatable {
  /// Compares in a time that depends on the lengths only.
  public static func == (left: Secret, right: Secret) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in 0..<left.count {
      difference |= left.storage.bytes[index] ^ right.storage.bytes[index]
    }
    return difference == 0
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The same as ``redacted``.
  public var description: String { redacted }

  /// The same as ``redacted``.
  public var debugDescription: String { redacted }

  /// Shows no child, so that `dump` and debuggers find nothing.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Secret {
  // `@unchecked` holds because the bytes are written in `init` and in `deinit` only, when no
  // other reference exists; in between they are read-only.
  private final class Storage: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    /// Copies straight into place: a copy in between would stay in memory unwiped.
    init(copying source: some Collection<UInt8>) {
      let count = source.count
      bytes = .allocate(byteCount: count, alignment: 1)
      let done: Void? = source.withContiguousStorageIfAvailable { bytes.copyBytes(from: $0) }
      guard done == nil else { return }
      var index = source.startIndex
      for offset in 0..<count {
        bytes[offset] = source[index]
        source.formIndex(after: &index)
      }
    }

    deinit {
      overwrite(bytes)
      bytes.deallocate()
    }
  }
}

/// Overwrites memory in a way that the optimiser may not drop.
private func overwrite(_ bytes: UnsafeMutableRawBufferPointer) {
  guard let start = bytes.baseAddress else { return }
  #if canImport(Darwin)
  _ = memset_s(start, bytes.count, 0, bytes.count)
  #elseif canImport(Glibc) || canImport(Musl)
  explicit_bzero(start, bytes.count)
  #else
  overwriteByHand(start, bytes.count)
  #endif
}

#if !canImport(Darwin) && !canImport(Glibc) && !canImport(Musl)
@inline(never)
@_optimize(none)
private func overwriteByHand(_ start: UnsafeMutableRawPointer, _ count: Int) {
  for offset in 0..<count { start.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
}
#endif
