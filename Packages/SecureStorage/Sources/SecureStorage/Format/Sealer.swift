/// Seals rows with the active key and opens rows of any key of the ring, each with its cipher.
///
/// Pure but for the nonce.
///
/// A row is its generation in 8 bytes big endian, then the envelope.
struct Sealer: Sendable {
  private static let generationLength = 8

  let storeID: [UInt8]
  let keyring: Keyring
  let suite: CipherSuite
  let random: RandomSource
  /// The cipher of the active key.
  let cipher: any Cipher
  /// What the active key has sealed.
  let count: SealCount
  private let ciphers: [UInt32: any Cipher]

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
    var ciphers: [UInt32: any Cipher] = [:]
    for (id, name) in keyring.ciphers { ciphers[id] = try suite.cipher(named: name) }
    guard let active = ciphers[keyring.activeID] else {
      preconditionFailure("a keyring always holds its active key")
    }
    self.storeID = storeID
    self.keyring = keyring
    self.suite = suite
    self.random = random
    self.count = count
    self.ciphers = ciphers
    cipher = active
  }

  struct SealedRow {
    let bytes: [UInt8]
    let tag: RowTag
  }

  /// Seals an item for the commit of a generation.
  func seal(_ plaintext: [UInt8], as item: SealedItem, generation: UInt64) -> SealedRow {
    count.increment()
    let keyID = keyring.activeID
    let nonce = random.bytes(cipher.nonceLength)
    let data = item.associatedData(storeID: storeID, keyID: keyID, generation: generation)
    let sealed = keyring.withKey(keyID) {
      cipher.seal(plaintext, key: $0, nonce: nonce, associatedData: data)
    }
    let envelope = Envelope.bytes(keyID: keyID, nonce: nonce, sealed: sealed ?? [])
    let bytes = generation.bigEndianBytes + envelope
    guard sealed != nil, let tag = RowTag(ofRow: bytes) else {
      preconditionFailure("a keyring always holds its active key")
    }
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
    guard let keyID = Sealer.keyID(ofRow: row), let cipher = ciphers[keyID],
      let envelope = Envelope(row.dropFirst(Sealer.generationLength), of: cipher)
    else { return nil }
    let generation = row.prefix(Sealer.generationLength).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let data = item.associatedData(
      storeID: storeID,
      keyID: envelope.keyID,
      generation: generation
    )
    let plaintext = keyring.withKey(envelope.keyID) {
      cipher.open(envelope.sealed, key: $0, nonce: envelope.nonce, associatedData: data)
    }
    guard let plaintext, let plaintext else { return nil }
    return OpenedRow(generation: generation, plaintext: plaintext)
  }

  /// The key that sealed a row; nil where the row is too short to say.
  static func keyID(ofRow row: [UInt8]) -> UInt32? {
    let header = row.dropFirst(generationLength).prefix(5)
    return header.count == 5 ? header.dropFirst().reduce(0) { $0 << 8 | UInt32($1) } : nil
  }
}
