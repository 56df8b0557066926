/// The authentication tag of a sealed row: tells one version of a row from every other.
struct RowTag: Hashable, Sendable {
  static let length = 16

  private let high: UInt64
  private let low: UInt64

  /// From 16 bytes; nil for another number of them.
  init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == RowTag.length else { return nil }
    let tag = bytes.withContiguousStorageIfAvailable { RowTag(UnsafeRawBufferPointer($0)) }
    self = tag ?? Array(bytes).withUnsafeBytes { RowTag($0) }
  }

  /// The tag at the end of a sealed row; nil where the row is too short to have one.
  init?(ofRow row: [UInt8]) {
    guard row.count >= RowTag.length else { return nil }
    self = row.withUnsafeBytes {
      RowTag(UnsafeRawBufferPointer(rebasing: $0.suffix(RowTag.length)))
    }
  }

  private init(_ bytes: UnsafeRawBufferPointer) {
    high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// Whether it is all zeros, which stands for a row that is not there.
  var isNone: Bool { high | low == 0 }

  fileprivate var words: (high: UInt64, low: UInt64) { (high, low) }
}

extension ByteWriter {
  /// A tag, or zeros for a row that is not there.
  mutating func tag(_ tag: RowTag?) {
    number(tag?.words.high ?? 0)
    number(tag?.words.low ?? 0)
  }
}

extension ByteReader {
  /// A tag, in which nil says that there is no such row; nil outside once the bytes run out.
  mutating func tag() -> RowTag?? {
    guard let tag = raw(RowTag.length).flatMap({ RowTag($0) }) else { return nil }
    return .some(tag.isNone ? nil : tag)
  }
}
