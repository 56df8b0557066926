#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The name of an entry: valid, and compared as bytes, so that NFC and NFD differ.
struct KeyName: Sendable {
  private(set) var text: String

  /// Checks the limits of ``StoreLimits``.
  init(validating text: String) throws(StorageError) {
    guard !text.isEmpty else {
      throw .invalidInput("The key is empty", advice: "Give the entry a name.")
    }
    guard text.utf8.count <= StoreLimits.keyBytes else {
      throw .invalidInput(
        "The key has \(text.utf8.count) bytes of UTF-8",
        advice: "At most \(StoreLimits.keyBytes) are allowed."
      )
    }
    self.init(unchecked: text)
    guard !hasNUL else {
      throw .invalidInput("The key holds a NUL", advice: "Leave it out.")
    }
  }

  private var hasNUL: Bool {
    let found = text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
    }
    return found ?? text.utf8.contains(0)
  }

  /// For a look-up only: a name that breaks the limits is found nowhere.
  init(unchecked text: String) {
    self.text = text
    self.text.makeContiguousUTF8()
  }
}

extension KeyName {
  /// Whether the name is these bytes.
  func isSame(as bytes: UnsafeRawBufferPointer) -> Bool {
    guard text.utf8.count == bytes.count, let start = bytes.baseAddress else { return false }
    let isSame = text.utf8.withContiguousStorageIfAvailable { mine in
      mine.baseAddress.map { memcmp($0, start, bytes.count) == 0 }
    }
    return (isSame ?? nil) ?? text.utf8.elementsEqual(bytes)
  }
}

extension KeyName: Hashable {
  static func == (left: KeyName, right: KeyName) -> Bool {
    guard left.text.utf8.count == right.text.utf8.count else { return false }
    let isSame = left.text.utf8.withContiguousStorageIfAvailable { left in
      right.text.utf8.withContiguousStorageIfAvailable { right in
        guard let left = left.baseAddress, let start = right.baseAddress else { return true }
        return memcmp(left, start, right.count) == 0
      }
    }
    return (isSame ?? nil) ?? left.text.utf8.elementsEqual(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    let done: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if done == nil { Array(text.utf8).withUnsafeBytes { hasher.combine(bytes: $0) } }
  }
}

extension ByteWriter {
  /// A name as UTF-8, with its length in 16 bits before it.
  mutating func short(_ name: KeyName) {
    number(UInt16(truncatingIfNeeded: name.text.utf8.count))
    let done: Void? = name.text.utf8.withContiguousStorageIfAvailable { raw($0) }
    if done == nil { raw(name.text.utf8) }
  }
}
