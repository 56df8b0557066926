#if SecretService && os(Linux)
internal import CSodium

/// Keys and numbers as a keyring keeps them: a line of base64, which every tool shows unharmed.
enum SecretText {
  private static let variant = sodium_base64_VARIANT_ORIGINAL

  static func encode<Result, Failure: Error>(
    _ bytes: UnsafeRawBufferPointer,
    _ body: (UnsafeBufferPointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let length = sodium_base64_encoded_len(bytes.count, variant)
    let memory = LockedMemory(count: length) { output in
      guard let start = output.bindMemory(to: CChar.self).baseAddress,
        let input = bytes.bindMemory(to: UInt8.self).baseAddress
      else { return }
      _ = sodium_bin2base64(
        start,
        length,
        input,
        bytes.count,
        variant
      )
    }
    return try memory.withBytes { (text) throws(Failure) in
      // Without the NUL at the end.
      try body(UnsafeBufferPointer(rebasing: text.bindMemory(to: CChar.self).dropLast()))
    }
  }

  /// The bytes of a line, or nil where it is not base64 of so many.
  static func decode(_ text: UnsafeBufferPointer<CChar>, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var length = 0
    let isBase64 = sodium_base642bin(
      &bytes,
      count,
      text.baseAddress,
      text.count,
      nil,
      &length,
      nil,
      variant
    )
    guard isBase64 == 0, length == count else {
      Sodium.wipe(&bytes)
      return nil
    }
    return bytes
  }
}
#endif
