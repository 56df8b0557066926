/// What a store takes.
///
/// Beyond it is an error (`invalidInput`), never a cut.
public enum StoreLimits {
  /// The most bytes of a value: 16 MiB.
  ///
  /// An empty value is a value.
  public static let valueBytes = 16 * 1024 * 1024
  /// The most bytes of UTF-8 in a key.
  ///
  /// Keys are not empty and hold no NUL.
  public static let keyBytes = 1024
  /// The most entries of a namespace.
  public static let entries = 1_000_000
}
