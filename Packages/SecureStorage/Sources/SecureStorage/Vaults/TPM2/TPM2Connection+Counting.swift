#if TPM2 && os(Linux)
internal import CTSS2

extension TPM2Connection {
  /// The value of a counter; nil where there is none of ours at its handle.
  func value(
    of counter: TPM2Counter,
    authorization: UnsafeRawBufferPointer
  ) throws(StorageError) -> UInt64? {
    guard let index = try index(of: counter, authorization) else { return nil }
    let session = try plainSession()
    defer { release(session) }
    return try read(index, session)
  }

  /// Counts up; nil where there is no counter of ours at its handle.
  func count(
    _ counter: TPM2Counter,
    authorization: UnsafeRawBufferPointer
  ) throws(StorageError) -> UInt64? {
    guard let index = try index(of: counter, authorization) else { return nil }
    let session = try plainSession()
    defer { release(session) }
    try use(session, for: .count, 0)
    try call(.count) {
      functions.nv_increment(esys, index, index, session, ESYS_TR_NONE, ESYS_TR_NONE)
    }
    return try read(index, session)
  }

  /// Makes a counter; false where its handle is taken.
  func define(
    _ counter: TPM2Counter,
    authorization: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    var (value, index) = (TPM2B_AUTH(authorization), ESYS_TR_NONE)
    defer { withUnsafeMutableBytes(of: &value) { Sodium.wipe($0) } }
    var content = TPM2B_NV_PUBLIC()
    content.nvPublic = TPMS_NV_PUBLIC(counter)
    let session = try saltedSession(parent())
    defer { release(session) }
    try use(session, for: .makeCounter, ctss2_session_decrypt)
    let answer = try call(.makeCounter, expecting: [.taken]) {
      functions.nv_define_space(
        esys,
        ESYS_TR_RH_OWNER,
        session,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        &value,
        &content,
        &index
      )
    }
    return answer == nil
  }

  /// Removes a counter, if there is one of ours at its handle.
  func undefine(_ counter: TPM2Counter) throws(StorageError) {
    guard let index = try index(of: counter) else { return }
    try call(.removeCounter) {
      functions.nv_undefine_space(
        esys,
        ESYS_TR_RH_OWNER,
        index,
        ESYS_TR_PASSWORD,
        ESYS_TR_NONE,
        ESYS_TR_NONE
      )
    }
  }

  private func index(
    of counter: TPM2Counter,
    _ authorization: UnsafeRawBufferPointer
  ) throws(StorageError) -> ESYS_TR? {
    guard let index = try index(of: counter) else { return nil }
    var value = TPM2B_AUTH(authorization)
    defer { withUnsafeMutableBytes(of: &value) { Sodium.wipe($0) } }
    try call(.readCounter) { functions.tr_set_auth(esys, index, &value) }
    return index
  }

  private func index(of counter: TPM2Counter) throws(StorageError) -> ESYS_TR? {
    guard try holds(counter.handle) else { return nil }
    var index = ESYS_TR_NONE
    let answer = try call(.readCounter, expecting: [.absent]) {
      functions.tr_from_tpm_public(
        esys,
        counter.handle,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        &index
      )
    }
    guard answer == nil else { return nil }
    var content: UnsafeMutablePointer<TPM2B_NV_PUBLIC>?
    try call(.readCounter) {
      functions.nv_read_public(
        esys,
        index,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        &content,
        nil
      )
    }
    let isOurs = take(content) { content in
      content.nvPublic.attributes & ~ctss2_nv_written == ctss2_counter_attributes
        && content.nvPublic.authPolicy.bytes == counter.tag
    }
    return isOurs == true ? index : nil
  }

  private func read(_ index: ESYS_TR, _ session: ESYS_TR) throws(StorageError) -> UInt64? {
    try use(session, for: .readCounter, 0)
    var data: UnsafeMutablePointer<TPM2B_MAX_NV_BUFFER>?
    let answer = try call(.readCounter, expecting: [.unwritten]) {
      functions.nv_read(
        esys,
        index,
        index,
        session,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        8,
        0,
        &data
      )
    }
    guard answer == nil else { return nil }
    return take(data) { data in
      withUnsafeBytes(of: data.buffer) { $0.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
    }
  }
}
#endif
