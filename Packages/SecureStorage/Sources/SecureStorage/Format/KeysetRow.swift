/// The row that holds the keyset, sealed by the vault's root key.
///
/// A checksum stands around the envelope: with it, a damaged keyset (the key is lost) and a key
/// that is not this store's (it is wrong) are two answers.
enum KeysetRow {
  // The keyset is always sealed by the default cipher, so that a store whose data cipher this
  // build lacks can still say so.
  private static let cipher = XChaCha20Poly1305()

  static func seal(
    _ keyring: Keyring,
    with root: RootKey,
    storeID: [UInt8],
    random: RandomSource
  ) -> [UInt8] {
    var content = keyring.encoded()
    defer { Sodium.wipe(&content) }
    let nonce = random.bytes(cipher.nonceLength)
    let data = SealedItem.keyset.associatedData(storeID: storeID, keyID: root.id, generation: 0)
    let sealed = root.withBytes {
      cipher.seal(content, key: $0, nonce: nonce, associatedData: data)
    }
    return Checksummed.frame(Envelope.bytes(keyID: root.id, nonce: nonce, sealed: sealed))
  }

  /// The keyring in a row.
  ///
  /// - Throws: `keyLost` where the row is damaged, `wrongKey` where it was sealed by another key,
  ///   `newerFormat`.
  static func open(
    _ row: [UInt8]?,
    with root: RootKey,
    storeID: [UInt8]
  ) throws(StorageError) -> Keyring {
    guard let row, let bytes = Checksummed.payload(of: row) else {
      throw .keyLost("The store's keyset is missing or damaged")
    }
    // Its checksum is right, so that it is no accident.
    guard let envelope = Envelope(bytes[...], of: cipher) else {
      throw .newerFormat("The store's keyset has an envelope that this build does not know")
    }
    let data = SealedItem.keyset.associatedData(storeID: storeID, keyID: root.id, generation: 0)
    let opened = root.withBytes {
      cipher.open(envelope.sealed, key: $0, nonce: envelope.nonce, associatedData: data)
    }
    guard envelope.keyID == root.id, var content = opened else {
      throw .wrongKey(
        "The vault's key is not the one that this store was made with",
        advice: "Use the vault, and the device, that the store was made with. `store reset` sets "
          + "the store aside and starts an empty one."
      )
    }
    defer { Sodium.wipe(&content) }
    guard let keyring = Keyring(encoded: content) else {
      throw .newerFormat("The store's keyset has a form that this build does not know")
    }
    return keyring
  }
}
