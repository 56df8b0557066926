/// The opened keyset: the key that seals, the older ones that still open, the key of names.
///
/// All of them lie in one piece of locked memory.
struct Keyring: Sendable {
  private static let keyLength = 32
  private static let contentVersion: UInt8 = 1
  /// The length of a value's row name.
  static let rowNameLength = 32

  /// A key that seals or has sealed; key number i lies at (i + 1) times the length of a key.
  private struct DataKey {
    let id: UInt32
    let cipher: CipherName
  }

  let activeID: UInt32
  // Few: a keyring seldom has more than two.
  private let keys: [DataKey]
  private let memory: LockedMemory
  private let names = RowNames()

  /// A keyring with one fresh data key.
  init(cipher: CipherName, random: RandomSource) {
    activeID = random.nonZero()
    keys = [DataKey(id: activeID, cipher: cipher)]
    memory = LockedMemory(count: 2 * Keyring.keyLength) { random.fill($0) }
  }

  private init(activeID: UInt32, keys: [DataKey], memory: LockedMemory) {
    self.activeID = activeID
    self.keys = keys
    self.memory = memory
  }

  var keyIDs: [UInt32] { keys.map(\.id).sorted() }

  /// The cipher of each key: a change of cipher goes with a change of key.
  var ciphers: [(keyID: UInt32, cipher: CipherName)] { keys.map { ($0.id, $0.cipher) } }

  func has(_ keyID: UInt32) -> Bool { offset(of: keyID) != nil }

  private func offset(of keyID: UInt32) -> Int? {
    keys.firstIndex { $0.id == keyID }.map { ($0 + 1) * Keyring.keyLength }
  }

  /// Lends a data key; nil where the keyring lacks it.
  func withKey<Result>(_ keyID: UInt32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    guard let offset = offset(of: keyID) else { return nil }
    return memory.withBytes { all in
      body(UnsafeRawBufferPointer(rebasing: all[offset..<offset + Keyring.keyLength]))
    }
  }

  /// As ``rowName(_:in:)``, for keys that are likely to be asked for again.
  func knownRowName(_ name: KeyName, in namespace: StoreNamespace) -> RowName {
    names.name(name, in: namespace) { rowName(name, in: namespace) }
  }

  /// The name of a value's row: BLAKE2b-256 of namespace and name, keyed.
  func rowName(_ name: KeyName, in namespace: StoreNamespace) -> RowName {
    var input: [UInt8] = []
    input.reserveCapacity(1 + name.text.utf8.count)
    input.append(namespace.rawValue)
    input.append(contentsOf: name.text.utf8)
    return memory.withBytes { all in
      RowName(
        space: namespace.rawValue,
        bytes: Sodium.hash(
          input,
          length: Keyring.rowNameLength,
          key: UnsafeRawBufferPointer(rebasing: all[0..<Keyring.keyLength])
        )
      )
    }
  }

  /// The same keyring with a fresh key that seals from now on; the older ones still open.
  func rotated(cipher: CipherName, random: RandomSource) -> Keyring {
    var id: UInt32 = random.nonZero()
    while has(id) { id = random.nonZero() }
    let end = (keys.count + 1) * Keyring.keyLength
    let grown = LockedMemory(count: end + Keyring.keyLength) { new in
      memory.withBytes { new.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[0..<end])) }
      random.fill(UnsafeMutableRawBufferPointer(rebasing: new[end...]))
    }
    return Keyring(activeID: id, keys: keys + [DataKey(id: id, cipher: cipher)], memory: grown)
  }

  /// The same keyring without the keys that no longer seal.
  func withoutOldKeys() -> Keyring {
    guard let active = keys.first(where: { $0.id == activeID }),
      let offset = offset(of: activeID)
    else { preconditionFailure("a keyring always holds its active key") }
    let kept = LockedMemory(count: 2 * Keyring.keyLength) { new in
      memory.withBytes { all in
        new.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[0..<Keyring.keyLength]))
        UnsafeMutableRawBufferPointer(rebasing: new[Keyring.keyLength...]).copyMemory(
          from: UnsafeRawBufferPointer(
            rebasing: all[offset..<offset + Keyring.keyLength]
          )
        )
      }
    }
    return Keyring(activeID: activeID, keys: [active], memory: kept)
  }

  // MARK: - The form that is sealed into the keyset

  /// The content of the keyset; the caller seals and wipes it.
  func encoded() -> [UInt8] {
    memory.withBytes { all in
      var writer = ByteWriter(capacity: 512)
      writer.number(Keyring.contentVersion)
      writer.raw(all[0..<Keyring.keyLength])
      writer.number(activeID)
      writer.number(UInt16(truncatingIfNeeded: keys.count))
      for (index, key) in keys.enumerated() {
        let offset = (index + 1) * Keyring.keyLength
        writer.number(key.id)
        writer.short(Array(key.cipher.rawValue.utf8))
        writer.raw(all[offset..<offset + Keyring.keyLength])
      }
      return writer.bytes
    }
  }

  /// Reads the content of a keyset; nil where it has another form.
  init?(encoded: [UInt8]) {
    var reader = ByteReader(encoded)
    guard reader.number(UInt8.self) == Keyring.contentVersion,
      let nameKey = reader.raw(Keyring.keyLength), let active = reader.number(UInt32.self),
      let count = reader.number(UInt16.self), count > 0
    else { return nil }
    var keys: [DataKey] = []
    var parts = [nameKey]
    for _ in 0..<count {
      guard let id = reader.number(UInt32.self), let cipher = reader.short(),
        let key = reader.raw(Keyring.keyLength)
      else { return nil }
      guard !keys.contains(where: { $0.id == id }) else { return nil }
      let name = CipherName(rawValue: String(decoding: cipher, as: UTF8.self))
      keys.append(DataKey(id: id, cipher: name))
      parts.append(key)
    }
    guard reader.isAtEnd, keys.contains(where: { $0.id == active }) else { return nil }
    self.init(
      activeID: active,
      keys: keys,
      memory: LockedMemory(count: parts.count * Keyring.keyLength) { memory in
        for (index, part) in parts.enumerated() {
          UnsafeMutableRawBufferPointer(rebasing: memory[(index * Keyring.keyLength)...])
            .copyBytes(from: part)
        }
      }
    )
  }
}
