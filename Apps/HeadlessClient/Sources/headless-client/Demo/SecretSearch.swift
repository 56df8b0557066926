internal import SessionModels

/// Looks for secrets where none may be.
struct SecretSearch {
  private let secrets: [[UInt8]]

  /// A search for these secrets; empty ones are left out.
  init(_ secrets: [Secret]) {
    self.secrets = secrets.map { $0.withBytes { Array($0) } }.filter { !$0.isEmpty }
  }

  /// How many secrets are looked for.
  var count: Int { secrets.count }

  /// Whether any of them stands in the bytes.
  func finds(in bytes: [UInt8]) -> Bool {
    secrets.contains { SecretSearch.contains(bytes, $0) }
  }

  private static func contains(_ bytes: [UInt8], _ pattern: [UInt8]) -> Bool {
    guard let first = pattern.first, bytes.count >= pattern.count else { return false }
    return bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      while index <= bytes.count - pattern.count {
        if bytes[index] == first,
          bytes[index..<(index + pattern.count)].elementsEqual(pattern)
        {
          return true
        }
        index += 1
      }
      return false
    }
  }
}
