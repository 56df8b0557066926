#if TPM2 && os(Linux)
internal import CTSS2

/// A storage key of the TPM, loaded.
struct TPM2Parent {
  let handle: ESYS_TR
  /// The digest of its public part: no other TPM has a key of this name.
  let name: [UInt8]
}

extension TPM2Connection {
  /// Where TCG puts the storage root key of a machine that was set up.
  private static let storageRootKey: TPM2_HANDLE = 0x8100_0001

  /// A key to seal under: the machine's storage root key, or one made from the same template.
  func parent() throws(StorageError) -> TPM2Parent {
    if let standing = try standingParent() { return standing }
    return try makeParent()
  }

  /// The key of a name; nil where this TPM has none.
  func parent(named name: [UInt8]) throws(StorageError) -> TPM2Parent? {
    if let standing = try standingParent(), standing.name == name { return standing }
    // A TPM makes the same key from the same template until it is cleared.
    let made = try makeParent()
    return made.name == name ? made : nil
  }

  private func standingParent() throws(StorageError) -> TPM2Parent? {
    guard try holds(TPM2Connection.storageRootKey) else { return nil }
    var handle = ESYS_TR_NONE
    let answer = try call(.lookAround, expecting: [.absent]) {
      functions.tr_from_tpm_public(
        esys,
        TPM2Connection.storageRootKey,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        &handle
      )
    }
    guard answer == nil else { return nil }
    var content: UnsafeMutablePointer<TPM2B_PUBLIC>?
    try call(.lookAround) {
      functions.read_public(
        esys,
        handle,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        &content,
        nil,
        nil
      )
    }
    guard let template = take(content, { encoded($0.template) }) ?? nil,
      template == encoded(.storageKey)
    else { return nil }
    return try named(handle)
  }

  private func makeParent() throws(StorageError) -> TPM2Parent {
    if let madeParent { return madeParent }
    var handle = ESYS_TR_NONE
    var (sensitive, template) = (TPM2B_SENSITIVE_CREATE(), TPM2B_PUBLIC.storageKey)
    var (outside, registers) = (TPM2B_DATA(), TPML_PCR_SELECTION())
    try call(.makeParent) {
      functions.create_primary(
        esys,
        ESYS_TR_RH_OWNER,
        ESYS_TR_PASSWORD,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        &sensitive,
        &template,
        &outside,
        &registers,
        &handle,
        nil,
        nil,
        nil,
        nil
      )
    }
    keep(handle)
    let parent = try named(handle)
    madeParent = parent
    return parent
  }

  private func named(_ handle: ESYS_TR) throws(StorageError) -> TPM2Parent {
    var name: UnsafeMutablePointer<TPM2B_NAME>?
    try call(.lookAround) { functions.tr_get_name(esys, handle, &name) }
    let bytes = take(name) { name in
      withUnsafeBytes(of: name.name) { Array($0.prefix(Int(name.size))) }
    }
    return TPM2Parent(handle: handle, name: bytes ?? [])
  }
}
#endif
