/// The opened keyset: the key that seals, the older ones that still open, the key of names.
///
/// All of them lie in one piece of locked memory.
struct Keyring: Sendable {
  private static let keyLength = 32
  private static let contentVersion: UInt8 = 1
  /// The length of a value's row name.
  static let rowNameLength = 32

  let cipherName: CipherName
  let activeID: UInt32
  /// Where each data key lies in `memory`; the key of names lies at 0.
  private let offsets: [UInt32: Int]
  private let memory: LockedMemory

  /// A keyring with one fresh data key.
  init(cipher: CipherName, random: RandomSource) {
    cipherName = cipher
    activeID = random.nonZero()
    offsets = [activeID: Keyring.keyLength]
    memory = LockedMemory(count: 2 * Keyring.keyLength) { random.fill($0) }
  }

  private init(
    cipherName: CipherName,
    activeID: UInt32,
    offsets: [UInt32: Int],
    memory: LockedMemory
  ) {
    self.cipherName = cipherName
    self.activeID = activeID
    self.offsets = offsets
    self.memory = memory
  }

  var keyIDs: [UInt32] { offsets.keys.sorted() }

  func has(_ keyID: UInt32) -> Bool { offsets[keyID] != nil }

  /// Lends a data key; nil where the keyring lacks it.
  func withKey<Result>(_ keyID: UInt32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    guard let offset = offsets[keyID] else { return nil }
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
    var offsets = offsets
    let end = (offsets.count + 1) * Keyring.keyLength
    offsets[id] = end
    let grown = LockedMemory(count: end + Keyring.keyLength) { new in
      memory.withBytes { new.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[0..<end])) }
      random.fill(UnsafeMutableRawBufferPointer(rebasing: new[end...]))
    }
    return Keyring(cipherName: cipher, activeID: id, offsets: offsets, memory: grown)
  }

  /// The same keyring without the keys that no longer seal.
  func withoutOldKeys() -> Keyring {
    let kept = LockedMemory(count: 2 * Keyring.keyLength) { new in
      memory.withBytes { all in
        new.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[0..<Keyring.keyLength]))
        let offset = offsets[activeID] ?? 0
        UnsafeMutableRawBufferPointer(rebasing: new[Keyring.keyLength...]).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: all[offset..<offset + Keyring.keyLength])
        )
      }
    }
    return Keyring(
      cipherName: cipherName,
      activeID: activeID,
      offsets: [activeID: Keyring.keyLength],
      memory: kept
    )
  }

  // MARK: - The form that is sealed into the keyset

  /// The content of the keyset; the caller seals and wipes it.
  func encoded() -> [UInt8] {
    memory.withBytes { all in
      var writer = ByteWriter(capacity: 512)
      writer.number(Keyring.contentVersion)
      writer.short(Array(cipherName.rawValue.utf8))
      writer.raw(all[0..<Keyring.keyLength])
      writer.number(activeID)
      writer.number(UInt16(truncatingIfNeeded: offsets.count))
      for (id, offset) in offsets.sorted(by: { $0.value < $1.value }) {
        writer.number(id)
        writer.raw(all[offset..<offset + Keyring.keyLength])
      }
      return writer.bytes
    }
  }

  /// Reads the content of a keyset; nil where it has another form.
  init?(encoded: [UInt8]) {
    var reader = ByteReader(encoded)
    guard reader.number(UInt8.self) == Keyring.contentVersion, let cipher = reader.short(),
      let nameKey = reader.raw(Keyring.keyLength), let active = reader.number(UInt32.self),
      let count = reader.number(UInt16.self), count > 0
    else { return nil }
    var offsets: [UInt32: Int] = [:]
    var keys: [ArraySlice<UInt8>] = [nameKey]
    for _ in 0..<count {
      guard let id = reader.number(UInt32.self), let key = reader.raw(Keyring.keyLength) else {
        return nil
      }
      offsets[id] = keys.count * Keyring.keyLength
      keys.append(key)
    }
    guard reader.isAtEnd, offsets[active] != nil, offsets.count == Int(count) else { return nil }
    self.init(
      cipherName: CipherName(rawValue: String(decoding: cipher, as: UTF8.self)),
      activeID: active,
      offsets: offsets,
      memory: LockedMemory(count: keys.count * Keyring.keyLength) { memory in
        for (index, key) in keys.enumerated() {
          UnsafeMutableRawBufferPointer(rebasing: memory[(index * Keyring.keyLength)...])
            .copyBytes(from: key)
        }
      }
    )
  }
}
