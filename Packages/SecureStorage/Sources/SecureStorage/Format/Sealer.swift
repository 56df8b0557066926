/// Seals rows with the active key and opens rows of any key of the ring, each with its cipher.
///
/// Pure but for the nonce.
///
/// A row is its generation in 8 bytes big endian, then the envelope.
final class Sealer: Sendable {
  private static let generationLength = 8

  let storeID: [UInt8]
  let keyring: Keyring
  let suite: CipherSuite
  let random: RandomSource
  /// The cipher of the active key.
  let cipher: any Cipher
  /// What the active key has sealed.
  let count: SealCount
  private let ciphers: [(keyID: UInt32, cipher: any Cipher)]
  private let nonces: NonceSource

  /// A sealer with the ciphers that the keyring asks for.
  ///
  /// - Throws: `cipherUnavailable` or `newerFormat` where the suite lacks one.
  init(
    storeID: [UInt8],
    keyring: Keyring,
    suite: CipherSuite,
    random: RandomSource,
    count: SealCount = SealCount()
  ) throws(StorageError) {
    var ciphers: [(keyID: UInt32, cipher: any Cipher)] = []
    for (id, name) in keyring.ciphers { ciphers.append((id, try suite.cipher(named: name))) }
    guard let active = ciphers.first(where: { $0.keyID == keyring.activeID })?.cipher else {
      preconditionFailure("a keyring always holds its active key")
    }
    self.storeID = storeID
    self.keyring = keyring
    self.suite = suite
    self.random = random
    self.count = count
    self.ciphers = ciphers
    cipher = active
    nonces = NonceSource(random)
  }

  struct SealedRow {
    let bytes: [UInt8]
    let tag: RowTag
  }

  /// Seals an item for the commit of a generation.
  func seal(_ plaintext: [UInt8], as item: SealedItem, generation: UInt64) -> SealedRow {
    count.increment()
    let keyID = keyring.activeID
    let nonceStart = Sealer.generationLength + Envelope.headerLength
    let start = nonceStart + cipher.nonceLength
    let length = start + plaintext.count + cipher.tagLength
    // Sealed where it is to lie: a commit seals many rows.
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      let row = UnsafeMutableRawBufferPointer(
        rebasing: UnsafeMutableRawBufferPointer(buffer)[..<length]
      )
      row.storeBytes(of: generation.bigEndian, as: UInt64.self)
      Envelope.writeHeader(keyID: keyID, to: row, at: Sealer.generationLength)
      let nonce = UnsafeMutableRawBufferPointer(rebasing: row[nonceStart..<start])
      nonces.fill(nonce)
      item.withAssociatedData(storeID: storeID, keyID: keyID, generation: generation) { data in
        plaintext.withUnsafeBytes { plaintext in
          let done: Void? = keyring.withKey(keyID) { key in
            cipher.seal(
              plaintext,
              into: UnsafeMutableRawBufferPointer(rebasing: row[start...]),
              key: key,
              nonce: UnsafeRawBufferPointer(nonce),
              associatedData: data
            )
          }
          precondition(done != nil, "a keyring always holds its active key")
        }
      }
      count = length
    }
    guard let tag = RowTag(ofRow: bytes) else { preconditionFailure("a row ends in its tag") }
    return SealedRow(bytes: bytes, tag: tag)
  }

  struct OpenedRow {
    let generation: UInt64
    private(set) var plaintext: [UInt8]

    init(generation: UInt64, plaintext: [UInt8]) {
      self.generation = generation
      self.plaintext = plaintext
    }

    mutating func wipe() { Sodium.wipe(&plaintext) }
  }

  /// Opens a row; nil where it is not the authentic row of that item.
  func open(_ row: [UInt8], as item: SealedItem) -> OpenedRow? {
    guard let keyID = Sealer.keyID(ofRow: row), let cipher = cipher(of: keyID) else { return nil }
    let nonceStart = Sealer.generationLength + Envelope.headerLength
    let start = nonceStart + cipher.nonceLength
    let length = row.count - start - cipher.tagLength
    guard length >= 0 else { return nil }
    return row.withUnsafeBytes { row in
      let generation = UInt64(bigEndian: row.loadUnaligned(as: UInt64.self))
      var isAuthentic = false
      let plaintext = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
        item.withAssociatedData(storeID: storeID, keyID: keyID, generation: generation) { data in
          isAuthentic =
            keyring.withKey(keyID) { key in
              cipher.open(
                UnsafeRawBufferPointer(rebasing: row[start...]),
                into: UnsafeMutableRawBufferPointer(
                  rebasing: UnsafeMutableRawBufferPointer(buffer)[..<length]
                ),
                key: key,
                nonce: UnsafeRawBufferPointer(rebasing: row[nonceStart..<start]),
                associatedData: data
              )
            } ?? false
        }
        count = isAuthentic ? length : 0
      }
      return isAuthentic ? OpenedRow(generation: generation, plaintext: plaintext) : nil
    }
  }

  private func cipher(of keyID: UInt32) -> (any Cipher)? {
    keyID == keyring.activeID ? cipher : ciphers.first { $0.keyID == keyID }?.cipher
  }

  /// The key that sealed a row; nil where the row is no row.
  static func keyID(ofRow row: [UInt8]) -> UInt32? {
    row.withUnsafeBytes { Envelope.keyID(in: $0, at: generationLength) }
  }
}
