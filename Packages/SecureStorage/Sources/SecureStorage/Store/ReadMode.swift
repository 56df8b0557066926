/// How values are kept in memory between reads.
public enum ReadMode: Sendable {
  /// Opened, so that a read copies nothing and decrypts nothing.
  case cached
  /// Sealed, and opened at each read: a value is in the clear only while the caller holds it.
  case strict
}
