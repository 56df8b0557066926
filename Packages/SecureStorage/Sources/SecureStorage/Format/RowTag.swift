/// The authentication tag of a sealed row: tells one version of a row from every other.
struct RowTag: Hashable, Sendable {
  static let length = 16

  private let high: UInt64
  private let low: UInt64

  /// From 16 bytes; nil for another number of them.
  init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == RowTag.length else { return nil }
    high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The tag at the end of a sealed row; nil where the row is too short to have one.
  init?(ofRow row: [UInt8]) { self.init(row.suffix(RowTag.length)) }

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
