/// The shape of an e-mail address, as login forms check it.
public enum EmailAddress {
  /// Whether a text can be an e-mail address.
  ///
  /// That is: one `@`, an unquoted local part (RFC 5321, section 4.1.2) before it, and after it a
  /// domain of two labels or more that ends in letters. International domains stand in their
  /// `xn--` form. Only the server can know whether the address exists.
  public static func isPlausible(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count <= 254, let at = bytes.firstIndex(of: UInt8(ascii: "@")) else { return false }
    return isLocalPart(bytes[..<at]) && isDomain(bytes[(at + 1)...])
  }

  /// What a local part may have besides letters and digits (RFC 5322, section 3.2.3).
  private static let atext = Array("!#$%&'*+-/=?^_`{|}~".utf8)

  private static func isLocalPart(_ part: ArraySlice<UInt8>) -> Bool {
    let labels = part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return part.count <= 64
      && labels.allSatisfy { label in
        !label.isEmpty && label.allSatisfy { $0.isLetterOrDigit || atext.contains($0) }
      }
  }

  private static func isDomain(_ part: ArraySlice<UInt8>) -> Bool {
    let labels = part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count >= 2, let last = labels.last, last.count >= 2 else { return false }
    let isTopLevel =
      last.allSatisfy(\.isLetter) || last.starts(with: "xn--".utf8)
    return isTopLevel
      && labels.allSatisfy { label in
        label.first?.isLetterOrDigit == true && label.last?.isLetterOrDigit == true
          && label.count <= 63
          && label.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
      }
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }

  fileprivate var isLetterOrDigit: Bool {
    isLetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
  }
}
