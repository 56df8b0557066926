/// The content of a passphrase vault's file: cost, salt, and the root key under the passphrase.
///
/// ```
/// "SSPV" | version 1 | passes u64 | memory u64 | salt 16 | nonce 24 | root key and tag 48
/// ```
struct PassphraseFile {
  private static let magic = Array("SSPV".utf8)
  private static let version: UInt8 = 1
  private static let saltLength = 16
  private static let cipher = XChaCha20Poly1305()

  let cost: KeyDerivationCost
  private let salt: [UInt8]
  private let nonce: [UInt8]
  private let sealed: [UInt8]

  /// Seals a root key under a passphrase; nil where the memory for Argon2id cannot be had.
  init?(
    _ root: RootKey,
    under passphrase: UnsafeRawBufferPointer,
    cost: KeyDerivationCost,
    random: RandomSource
  ) {
    self.cost = cost
    salt = random.bytes(PassphraseFile.saltLength)
    nonce = random.bytes(PassphraseFile.cipher.nonceLength)
    guard let key = cost.key(of: passphrase, salt: salt) else { return nil }
    var plain = root.withBytes { Array($0) }
    defer { Sodium.wipe(&plain) }
    let (nonce, header) = (nonce, PassphraseFile.header(cost, salt))
    sealed = key.withBytes {
      PassphraseFile.cipher.seal(plain, key: $0, nonce: nonce, associatedData: header)
    }
  }

  /// Whether a later version wrote the content.
  static func isNewer(_ encoded: [UInt8]) -> Bool {
    encoded.starts(with: magic) && encoded.dropFirst(magic.count).first ?? 0 > version
  }

  /// Reads the content; nil where its form is another.
  init?(encoded: [UInt8]) {
    var reader = ByteReader(encoded)
    guard reader.raw(PassphraseFile.magic.count).map(Array.init) == PassphraseFile.magic,
      reader.number(UInt8.self) == PassphraseFile.version,
      let passes = reader.number(UInt64.self), let memory = reader.number(UInt64.self),
      let salt = reader.raw(PassphraseFile.saltLength),
      let nonce = reader.raw(PassphraseFile.cipher.nonceLength)
    else { return nil }
    // A file that asks for more than the bounds is not one of ours, and must not stop the app.
    cost = KeyDerivationCost(passes: passes, memory: Int(truncatingIfNeeded: memory))
    guard cost.passes == passes, UInt64(cost.memory) == memory else { return nil }
    self.salt = Array(salt)
    self.nonce = Array(nonce)
    sealed = Array(reader.rest())
  }

  func encoded() -> [UInt8] { PassphraseFile.header(cost, salt) + nonce + sealed }

  enum Answer {
    case key(RootKey)
    case wrongPassphrase
    case outOfMemory
  }

  func open(with passphrase: UnsafeRawBufferPointer) -> Answer {
    guard !passphrase.isEmpty else { return .wrongPassphrase }
    guard let key = cost.key(of: passphrase, salt: salt) else { return .outOfMemory }
    let opened = key.withBytes {
      PassphraseFile.cipher.open(
        sealed[...],
        key: $0,
        nonce: nonce,
        associatedData: PassphraseFile.header(cost, salt)
      )
    }
    guard var plain = opened else { return .wrongPassphrase }
    defer { Sodium.wipe(&plain) }
    return RootKey(plain).map { .key($0) } ?? .wrongPassphrase
  }

  private static func header(_ cost: KeyDerivationCost, _ salt: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: 128)
    writer.raw(magic)
    writer.number(version)
    writer.number(cost.passes)
    writer.number(UInt64(cost.memory))
    writer.raw(salt)
    return writer.bytes
  }
}
