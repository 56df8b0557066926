#if TPM2 && os(Linux)
internal import CTSS2

extension TPM2Connection {
  /// Seals a secret of at most 128 bytes.
  func seal(
    _ secret: UnsafeRawBufferPointer,
    under parent: TPM2Parent
  ) throws(StorageError) -> TPM2Sealed {
    let session = try saltedSession(parent)
    defer { release(session) }
    try use(session, for: .seal, ctss2_session_decrypt | ctss2_session_encrypt)
    var sensitive = TPM2B_SENSITIVE_CREATE()
    defer { withUnsafeMutableBytes(of: &sensitive) { Sodium.wipe($0) } }
    sensitive.sensitive.data.size = UInt16(secret.count)
    withUnsafeMutableBytes(of: &sensitive.sensitive.data.buffer) { $0.copyMemory(from: secret) }
    var (template, outside) = (TPM2B_PUBLIC.sealedData, TPM2B_DATA())
    var registers = TPML_PCR_SELECTION()
    var privatePart: UnsafeMutablePointer<TPM2B_PRIVATE>?
    var publicPart: UnsafeMutablePointer<TPM2B_PUBLIC>?
    try call(.seal) {
      functions.create(
        esys,
        parent.handle,
        session,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        &sensitive,
        &template,
        &outside,
        &registers,
        &privatePart,
        &publicPart,
        nil,
        nil,
        nil
      )
    }
    guard let publicBytes = take(publicPart, { encoded($0) }) ?? nil,
      let privateBytes = take(privatePart, { encoded($0) }) ?? nil
    else { throw TPM2Step.seal.error(.failed, 0, address) }
    return TPM2Sealed(publicPart: publicBytes, privatePart: privateBytes)
  }

  /// Opens what was sealed; nil where it is not what this TPM sealed under the key.
  func unseal(_ sealed: TPM2Sealed, under parent: TPM2Parent) throws(StorageError) -> LockedMemory?
  {
    guard var (publicPart, privatePart) = decoded(sealed) else { return nil }
    let session = try saltedSession(parent)
    defer { release(session) }
    try use(session, for: .load, 0)
    var handle = ESYS_TR_NONE
    let answer = try call(.load, expecting: [.refused]) {
      functions.load(
        esys,
        parent.handle,
        session,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        &privatePart,
        &publicPart,
        &handle
      )
    }
    guard answer == nil else { return nil }
    keep(handle)
    defer { release(handle) }
    try use(session, for: .unseal, ctss2_session_encrypt)
    var data: UnsafeMutablePointer<TPM2B_SENSITIVE_DATA>?
    let opened = try call(.unseal, expecting: [.refused]) {
      functions.unseal(esys, handle, session, ESYS_TR_NONE, ESYS_TR_NONE, &data)
    }
    guard opened == nil, let data else { return nil }
    defer {
      Sodium.wipe(
        UnsafeMutableRawBufferPointer(start: data, count: MemoryLayout.size(ofValue: data.pointee))
      )
      functions.free(data)
    }
    return withUnsafeBytes(of: &data.pointee.buffer) { bytes in
      LockedMemory(count: Int(data.pointee.size)) {
        $0.copyMemory(from: .init(rebasing: bytes.prefix($0.count)))
      }
    }
  }

  // MARK: Sessions

  /// A session that encrypts what it carries with a secret that only the TPM can read: the key
  /// does not cross the bus in plain.
  func saltedSession(_ parent: TPM2Parent) throws(StorageError) -> ESYS_TR {
    try session(salt: parent.handle)
  }

  /// A session that proves each side to the other by the authorization value of what it is used
  /// for.
  func plainSession() throws(StorageError) -> ESYS_TR { try session(salt: ESYS_TR_NONE) }

  private func session(salt: ESYS_TR) throws(StorageError) -> ESYS_TR {
    var symmetric = TPMT_SYM_DEF()
    symmetric.algorithm = ctss2_alg_aes
    symmetric.keyBits.aes = 128
    symmetric.mode.aes = ctss2_alg_cfb
    var session = ESYS_TR_NONE
    try call(.startSession) {
      functions.start_auth_session(
        esys,
        salt,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        nil,
        ctss2_se_hmac,
        &symmetric,
        ctss2_alg_sha256,
        &session
      )
    }
    keep(session)
    return session
  }

  func use(
    _ session: ESYS_TR,
    for step: TPM2Step,
    _ attributes: TPMA_SESSION
  ) throws(StorageError) {
    try call(step) {
      functions.session_set_attributes(esys, session, attributes | ctss2_session_continue, 0xFF)
    }
  }

  // MARK: Bytes

  /// The wire form of a public part.
  func encoded(_ value: TPM2B_PUBLIC) -> [UInt8]? {
    var value = value
    return encoded { functions.marshal_public(&value, $0, $1, $2) }
  }

  private func encoded(_ value: TPM2B_PRIVATE) -> [UInt8]? {
    var value = value
    return encoded { functions.marshal_private(&value, $0, $1, $2) }
  }

  private func encoded(
    _ marshal: (UnsafeMutablePointer<UInt8>?, Int, UnsafeMutablePointer<Int>) -> TSS2_RC
  ) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 2048)
    var count = 0
    let code = bytes.withUnsafeMutableBufferPointer { marshal($0.baseAddress, $0.count, &count) }
    return code == TSS2_RC_SUCCESS ? Array(bytes.prefix(count)) : nil
  }

  private func decoded(_ sealed: TPM2Sealed) -> (TPM2B_PUBLIC, TPM2B_PRIVATE)? {
    var (publicPart, privatePart) = (TPM2B_PUBLIC(), TPM2B_PRIVATE())
    var (publicCount, privateCount) = (0, 0)
    let (publicBytes, privateBytes) = (sealed.publicPart, sealed.privatePart)
    guard
      functions.unmarshal_public(publicBytes, publicBytes.count, &publicCount, &publicPart)
        == TSS2_RC_SUCCESS,
      functions.unmarshal_private(privateBytes, privateBytes.count, &privateCount, &privatePart)
        == TSS2_RC_SUCCESS,
      publicCount == publicBytes.count, privateCount == privateBytes.count
    else { return nil }
    return (publicPart, privatePart)
  }
}
#endif
