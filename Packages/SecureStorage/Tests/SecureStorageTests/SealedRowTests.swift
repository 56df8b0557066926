import Testing

@testable import SecureStorage

/// The row of a value, with either cipher: the vectors of FORMAT.md, and all that is not them.
@Suite struct SealedRowTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let cipher: CipherName
    let bytes: [UInt8]

    var testDescription: String { cipher.rawValue }
  }

  private static let rows = [
    Row(
      cipher: .xchacha20Poly1305,
      bytes: hex(
        """
        00000000000000050101020304404142434445464748494a4b4c4d4e4f5051525354555657f10a109b379f
        8128997e02b66110f6a4cfd92a601c7dd2d57d26d773
        """
      )
    ),
    Row(
      cipher: .aes256GCM,
      bytes: hex(
        """
        00000000000000050101020304404142434445464748494a4bd9cc62295f8acb181a9da41c2cf7e10b529a
        df1f130d4a57ee75502b
        """
      )
    ),
  ]
  private static let storeID = (0x10...0x1F as ClosedRange<UInt8>).bytes
  private static let item = SealedItem.value(KeyName(unchecked: "colour"), in: .user)

  /// The keyring of FORMAT.md, with the key of a cipher.
  private func sealer(
    _ cipher: CipherName,
    keyID: UInt32 = 0x0102_0304,
    storeID: [UInt8] = storeID
  ) throws -> Sealer {
    var content = ByteWriter()
    content.number(UInt8(1))
    content.raw((0...31 as ClosedRange<UInt8>).bytes)
    content.number(keyID)
    content.number(UInt16(1))
    content.number(keyID)
    content.short(Array(cipher.rawValue.utf8))
    content.raw((0x80...0x9F as ClosedRange<UInt8>).bytes)
    return try Sealer(
      storeID: storeID,
      keyring: try #require(Keyring(encoded: content.bytes)),
      suite: .system,
      random: .counting(from: 0x40)
    )
  }

  @Test(arguments: rows) func `the row is that of FORMAT.md`(row: Row) throws {
    let sealer = try sealer(row.cipher)
    let content = Array("blue".utf8).withUnsafeBytes {
      ValueContent.encode(KeyName(unchecked: "colour"), $0)
    }
    #expect(sealer.seal(content, as: Self.item, generation: 5).bytes == row.bytes)
    let opened = try #require(sealer.open(row.bytes, as: Self.item))
    #expect(opened.generation == 5)
    #expect(opened.plaintext == content)
  }

  @Test(arguments: rows) func `every truncation and every flipped bit is refused`(row: Row) throws {
    let sealer = try sealer(row.cipher)
    for count in 0..<row.bytes.count {
      #expect(sealer.open(Array(row.bytes.prefix(count)), as: Self.item) == nil)
      #expect(sealer.open(Array(row.bytes.suffix(count)), as: Self.item) == nil)
    }
    #expect(sealer.open(row.bytes + [0], as: Self.item) == nil)
    for bit in 0..<row.bytes.count * 8 {
      #expect(sealer.open(row.bytes.flipping(bit), as: Self.item) == nil, "bit \(bit)")
    }
  }

  @Test(arguments: rows) func `every swapped field is refused`(row: Row) throws {
    let sealer = try sealer(row.cipher)
    let name = Array("colour".utf8)
    let others = [
      SealedItem.value(KeyName(unchecked: "colour"), in: .session),
      SealedItem.value(KeyName(unchecked: "color"), in: .user),
      SealedItem.value(KeyName(unchecked: "colour\u{1}"), in: .user),
      SealedItem(kind: .leaf, namespace: 1, name: name),
      SealedItem(kind: .manifest, namespace: 1, name: name),
      SealedItem(kind: .keyset, namespace: 1, name: name),
    ]
    for other in others { #expect(sealer.open(row.bytes, as: other) == nil) }
    let elsewhere = try self.sealer(row.cipher, storeID: Self.storeID.reversed())
    #expect(elsewhere.open(row.bytes, as: Self.item) == nil)
    // The same key under another id, and the row renamed to it.
    let renamed = try self.sealer(row.cipher, keyID: 0x0102_0305)
    var bytes = row.bytes
    bytes[12] = 5
    #expect(renamed.open(row.bytes, as: Self.item) == nil)
    #expect(renamed.open(bytes, as: Self.item) == nil)
    let other = try #require(Self.rows.first { $0.cipher != row.cipher })
    #expect(sealer.open(other.bytes, as: Self.item) == nil)
  }
}
