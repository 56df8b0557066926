/// Which ciphers there are: those of this build, less what the processor lacks.
package struct CipherSuite: Sendable {
  /// The ciphers of this build on this processor.
  package static let system = CipherSuite(aes: AES256GCM())

  private let aes: AES256GCM?

  /// A suite with or without AES, so that a test can be a processor that lacks it.
  ///
  /// - Parameter aes: nil for a processor without AES.
  package init(aes: AES256GCM?) { self.aes = aes }

  /// The cipher that something was sealed with.
  ///
  /// - Throws: `cipherUnavailable` where the processor lacks it, `newerFormat` for a name that
  ///   this build does not know.
  func cipher(named name: CipherName) throws(StorageError) -> any Cipher {
    switch name {
    case .xchacha20Poly1305: return XChaCha20Poly1305()
    case .aes256GCM:
      if let aes { return aes }
      throw StorageError(
        .cipherUnavailable,
        "The store is sealed with \(name), and this computer's processor has no AES",
        advice: "Open it on a computer whose processor does; there, `store rekey --cipher "
          + "\(CipherName.xchacha20Poly1305)` makes it readable everywhere. Nothing was changed."
      )
    default:
      throw .newerFormat("The store is sealed with \(name), which this build does not have")
    }
  }

  /// Checks a cipher that the caller asks for, before anything is sealed with it.
  ///
  /// - Throws: `cipherUnavailable` where the processor lacks it, `invalidInput` for a name that
  ///   this build does not know.
  func check(_ wanted: CipherName) throws(StorageError) {
    guard CipherName.known.contains(wanted) else {
      throw .invalidInput(
        "There is no cipher \(wanted)",
        advice: "Take one of \(CipherName.known.map(\.rawValue).joined(separator: ", "))."
      )
    }
    guard wanted != .aes256GCM || aes != nil else {
      throw StorageError(
        .cipherUnavailable,
        "\(wanted) needs AES instructions, and this computer's processor has none",
        advice: "Take \(CipherName.xchacha20Poly1305), the default. Nothing was changed."
      )
    }
  }
}
