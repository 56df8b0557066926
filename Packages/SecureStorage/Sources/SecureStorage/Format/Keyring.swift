/// The opened keyset: the key that seals, the older ones that still open, the key of names.
///
/// All of them lie in one piece of locked memory.
struct Keyring: Sendable {
  private static let keyLength = 32
  private static let contentVersion: UInt8 = 1
  /// The length of a value's row name.
  static let rowNameLength = 32

  private struct DataKey {
    let cipher: CipherName
    /// Where it lies in `memory`; the key of names lies at 0.
    let offset: Int
  }

  let activeID: UInt32
  private let keys: [UInt32: DataKey]
  private let memory: LockedMemory

  /// A keyring with one fresh data key.
  init(cipher: CipherName, random: RandomSource) {
    activeID = random.nonZero()
    keys = [activeID: DataKey(cipher: cipher, offset: Keyring.keyLength)]
    memory = LockedMemory(count: 2 * Keyring.keyLength) { random.fill($0) }
  }

  private init(activeID: UInt32, keys: [UInt32: DataKey], memory: LockedMemory) {
    self.activeID = activeID
    self.keys = keys
    self.memory = memory
  }

  var keyIDs: [UInt32] { keys.keys.sorted() }

  /// The cipher of each key: a change of cipher goes with a change of key.
  var ciphers: [UInt32: CipherName] { keys.mapValues(\.cipher) }

  func has(_ keyID: UInt32) -> Bool { keys[keyID] != nil }

  /// Lends a data key; nil where the keyring lacks it.
  func withKey<Result>(_ keyID: UInt32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    guard let offset = keys[keyID]?.offset else { return nil }
    return memory.withBytes { all in
      body(UnsafeRawBufferPointer(rebasing: all[offset..<offset + Keyring.keyLength]))
    }
  }

  /// The name of a value's row: BLAKE2b-256 of namespace and name, keyed.
  func rowName(_ name: KeyName, in namespace: StoreNamespace) -> RowName {
    memory.withBytes { all in
      RowName(
        space: namespace.rawValue,
        bytes: Sodium.hash(
          [namespace.rawValue] + Array(name.text.utf8),
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
    var keys = keys
    let end = (keys.count + 1) * Keyring.keyLength
    keys[id] = DataKey(cipher: cipher, offset: end)
    let grown = LockedMemory(count: end + Keyring.keyLength) { new in
      memory.withBytes { new.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[0..<end])) }
      random.fill(UnsafeMutableRawBufferPointer(rebasing: new[end...]))
    }
    return Keyring(activeID: id, keys: keys, memory: grown)
  }

  /// The same keyring without the keys that no longer seal.
  func withoutOldKeys() -> Keyring {
    guard let active = keys[activeID] else {
      preconditionFailure("a keyring always holds its active key")
    }
    let kept = LockedMemory(count: 2 * Keyring.keyLength) { new in
      memory.withBytes { all in
        new.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[0..<Keyring.keyLength]))
        UnsafeMutableRawBufferPointer(rebasing: new[Keyring.keyLength...]).copyMemory(
          from: UnsafeRawBufferPointer(
            rebasing: all[active.offset..<active.offset + Keyring.keyLength]
          )
        )
      }
    }
    let key = DataKey(cipher: active.cipher, offset: Keyring.keyLength)
    return Keyring(activeID: activeID, keys: [activeID: key], memory: kept)
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
      for (id, key) in keys.sorted(by: { $0.value.offset < $1.value.offset }) {
        writer.number(id)
        writer.short(Array(key.cipher.rawValue.utf8))
        writer.raw(all[key.offset..<key.offset + Keyring.keyLength])
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
    var keys: [UInt32: DataKey] = [:]
    var parts = [nameKey]
    for _ in 0..<count {
      guard let id = reader.number(UInt32.self), let cipher = reader.short(),
        let key = reader.raw(Keyring.keyLength)
      else { return nil }
      keys[id] = DataKey(
        cipher: CipherName(rawValue: String(decoding: cipher, as: UTF8.self)),
        offset: parts.count * Keyring.keyLength
      )
      parts.append(key)
    }
    guard reader.isAtEnd, keys[active] != nil, keys.count == Int(count) else { return nil }
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
