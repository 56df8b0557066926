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

  var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
}
