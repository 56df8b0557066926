internal import SessionModels

/// What a value's row seals: the name with its length, then the value itself.
enum ValueContent {
  static func encode(_ name: KeyName, _ value: UnsafeRawBufferPointer) -> [UInt8] {
    var writer = ByteWriter(capacity: 2 + name.text.utf8.count + value.count)
    writer.short(name)
    value.withMemoryRebound(to: UInt8.self) { writer.raw($0) }
    return writer.bytes
  }

  /// The name and the value, or nil where the form is another.
  static func decode(_ content: [UInt8]) -> (name: KeyName, value: Secret)? {
    var reader = ByteReader(content)
    guard let name = reader.short() else { return nil }
    let value = Secret(bytes: reader.rest())
    return (KeyName(unchecked: String(decoding: name, as: UTF8.self)), value)
  }

  /// The value, where the content is that of the entry.
  static func value(in content: [UInt8], of name: KeyName) -> Secret? {
    let length = name.text.utf8.count
    return content.withUnsafeBytes { content in
      guard content.count >= 2 + length, Int(content[0]) << 8 | Int(content[1]) == length,
        name.isSame(as: UnsafeRawBufferPointer(rebasing: content[2..<2 + length]))
      else { return nil }
      return Secret(bytes: UnsafeRawBufferPointer(rebasing: content[(2 + length)...]))
    }
  }
}
