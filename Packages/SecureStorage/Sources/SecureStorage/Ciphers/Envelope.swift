/// Tink's envelope: `0x01`, the key id in 4 bytes big endian, nonce, ciphertext, tag.
///
/// Tink leaves the first 5 bytes unauthenticated; here the key id is in the associated data.
struct Envelope {
  private static let prefix: UInt8 = 1
  static let headerLength = 5

  let keyID: UInt32
  let nonce: [UInt8]
  let sealed: ArraySlice<UInt8>

  /// Takes an envelope apart; nil where it is too short or has another prefix.
  init?(_ bytes: ArraySlice<UInt8>, of cipher: any Cipher) {
    guard bytes.count >= Envelope.headerLength + cipher.nonceLength + cipher.tagLength,
      bytes.first == Envelope.prefix
    else { return nil }
    keyID = bytes.dropFirst().prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    nonce = Array(bytes.dropFirst(Envelope.headerLength).prefix(cipher.nonceLength))
    sealed = bytes.dropFirst(Envelope.headerLength + cipher.nonceLength)
  }

  /// The bytes of an envelope from its parts.
  static func bytes(keyID: UInt32, nonce: [UInt8], sealed: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: headerLength + nonce.count + sealed.count)
    writer.number(prefix)
    writer.number(keyID)
    writer.raw(nonce)
    writer.raw(sealed)
    return writer.bytes
  }

  /// Writes what stands before the nonce.
  static func writeHeader(
    keyID: UInt32,
    to row: UnsafeMutableRawBufferPointer,
    at offset: Int
  ) {
    row[offset] = prefix
    row.storeBytes(of: keyID.bigEndian, toByteOffset: offset + 1, as: UInt32.self)
  }

  /// The key's id in an envelope; nil where there is no envelope.
  static func keyID(in row: UnsafeRawBufferPointer, at offset: Int) -> UInt32? {
    guard row.count >= offset + headerLength, row[offset] == prefix else { return nil }
    return UInt32(bigEndian: row.loadUnaligned(fromByteOffset: offset + 1, as: UInt32.self))
  }
}
