/// The name of an account slot, safe to be a directory's name.
package struct ProfileName: Hashable, Sendable {
  /// The name.
  package let rawValue: String

  /// The profile that is used where none is named.
  package static let standard = ProfileName(unchecked: "default")

  private init(unchecked text: String) { rawValue = text }

  /// A name of 1 to 64 ASCII letters, digits, `.`, `_` and `-`, beginning with a letter or
  /// digit; nil for all else, so that no name leaves the directory it belongs in.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...64).contains(bytes.count), bytes.allSatisfy(ProfileName.isAllowed),
      let first = bytes.first, !"._-".utf8.contains(first)
    else { return nil }
    rawValue = text
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "._-".utf8.contains(byte)
    }
  }
}
