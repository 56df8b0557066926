#if TPM2 && os(Linux)
internal import CTSS2
internal import Glibc

/// One conversation with a TPM, on one thread; what it loads is flushed at its end.
final class TPM2Connection {
  let address: TPM2Address
  let functions: CTSS2Functions
  let esys: OpaquePointer
  private var link: OpaquePointer?
  private var loaded: [ESYS_TR] = []
  private var hasMadeRoom = false
  private var wasDisplaced = false
  /// The storage key, made once: that is what takes a TPM longest.
  var madeParent: TPM2Parent?

  /// Runs `body` on a connection of its own; nil is the machine's own TPM.
  ///
  /// - Throws: `vaultUnavailable`, and what `body` throws.
  static func run<Result>(
    _ given: String?,
    _ body: (TPM2Connection) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let address = try TPM2Address(given)
    guard let functions = ctss2_functions()?.pointee else {
      throw TPM2Step.unavailable(
        "The libraries for a TPM 2.0 are not installed",
        advice:
          "Install tss2-esys with its tctildr (on Debian libtss2-dev, or libtss2-esys-3.0.2-0 "
          + "and libtss2-tctildr0), or use another vault."
      )
    }
    return try SignalsBlocked.run { () throws(StorageError) in
      let turn = TPM2Turn(at: address)
      // Kept until the end, not only until it was last looked at.
      defer { extendLifetime(turn) }
      var attempt = 1
      while true {
        let connection = try TPM2Connection(address, functions)
        defer { connection.end() }
        do throws(StorageError) {
          return try body(connection)
        } catch {
          guard connection.wasDisplaced, attempt < TPM2Connection.conversations else { throw error }
          attempt += 1
        }
      }
    }
  }

  private init(_ address: TPM2Address, _ functions: CTSS2Functions) throws(StorageError) {
    self.address = address
    self.functions = functions
    guard functions.tcti_initialize(address.configuration, &link) == TSS2_RC_SUCCESS, link != nil
    else { throw address.unreachable }
    var context: OpaquePointer?
    guard functions.initialize(&context, link, nil) == TSS2_RC_SUCCESS, let context else {
      functions.tcti_finalize(&link)
      throw address.unreachable
    }
    esys = context
  }

  private func end() {
    for handle in loaded.reversed() { _ = functions.flush_context(esys, handle) }
    var context: OpaquePointer? = esys
    functions.finalize(&context)
    functions.tcti_finalize(&link)
  }

  /// Sees to it that an object or session is flushed, at the end at the latest.
  func keep(_ handle: ESYS_TR) { loaded.append(handle) }

  /// Flushes an object or session: a TPM has room for three of each.
  func release(_ handle: ESYS_TR) {
    guard let place = loaded.lastIndex(of: handle) else { return }
    loaded.remove(at: place)
    _ = functions.flush_context(esys, handle)
  }

  /// Copies what tss2 allocated, and gives it back.
  func take<Value, Result>(
    _ pointer: UnsafeMutablePointer<Value>?,
    _ body: (Value) -> Result
  ) -> Result? {
    guard let pointer else { return nil }
    defer { functions.free(pointer) }
    return body(pointer.pointee)
  }

  // MARK: Calls

  private static let attempts = 10
  private static let attemptsBeforeMakingRoom = 7
  private static let conversations = 3

  /// Calls the TPM, again where it says so; returns nil after success, else the answer, where the
  /// caller expects it.
  ///
  /// - Throws: `vaultUnavailable` for every other answer.
  @discardableResult
  func call(
    _ step: TPM2Step,
    expecting expected: Set<TPM2Answer> = [],
    _ body: () -> TSS2_RC
  ) throws(StorageError) -> TPM2Answer? {
    var attempt = 0
    while true {
      let code = body()
      if code == TSS2_RC_SUCCESS { return nil }
      var answer = TPM2Answer(code)
      // Nothing of ours but the counter has a secret authorization, and its tag is known by then.
      if answer == .unauthorized, !step.isOwners { answer = .displaced }
      if answer == .displaced { wasDisplaced = true }
      if expected.contains(answer) { return answer }
      attempt += 1
      guard attempt < TPM2Connection.attempts, prepareAgain(answer, attempt) else {
        throw step.error(answer, code, address)
      }
    }
  }

  /// Does what makes a second attempt worth while; false where nothing does.
  private func prepareAgain(_ answer: TPM2Answer, _ attempt: Int) -> Bool {
    switch answer {
    case .later,
      .outOfSlots where attempt < TPM2Connection.attemptsBeforeMakingRoom:
      // 10 ms, doubled up to about two thirds of a second: under three seconds in all.
      usleep(10_000 << UInt32(min(attempt - 1, 6)))
      return true
    case .notStarted:
      // Firmware and kernel start a machine's TPM; one beside it may have nobody else.
      return functions.startup(esys, ctss2_su_clear) == TSS2_RC_SUCCESS
    case .outOfSlots where !hasMadeRoom:
      hasMadeRoom = true
      return makeRoom()
    default:
      return false
    }
  }

  /// Flushes what others have left behind.
  ///
  /// With a resource manager only our own is seen here. Without one, what is still there after the
  /// waiting belongs to programs that have ended, killed ones among them.
  private func makeRoom() -> Bool {
    var hasFlushed = false
    let own = loaded.map { handle in
      var own: TPM2_HANDLE = 0
      _ = functions.tr_get_tpm_handle(esys, handle, &own)
      return own
    }
    for first in [ctss2_transient_first, ctss2_loaded_session_first] {
      for handle in (try? handles(from: first)) ?? [] where !own.contains(handle) {
        var found: ESYS_TR = ESYS_TR_NONE
        guard
          functions.tr_from_tpm_public(
            esys,
            handle,
            ESYS_TR_NONE,
            ESYS_TR_NONE,
            ESYS_TR_NONE,
            &found
          ) == TSS2_RC_SUCCESS
        else { continue }
        if functions.flush_context(esys, found) == TSS2_RC_SUCCESS { hasFlushed = true }
      }
    }
    return hasFlushed
  }

  /// Whether the TPM holds something lasting of a handle; tss2 complains aloud where it is asked
  /// for what is not there.
  func holds(_ handle: TPM2_HANDLE) throws(StorageError) -> Bool {
    try handles(from: handle).first == handle
  }

  /// The handles of a kind that the TPM holds, from one on.
  func handles(from first: TPM2_HC) throws(StorageError) -> [TPM2_HANDLE] {
    try capability(ctss2_cap_handles, first, count: ctss2_max_handles) { data in
      withUnsafeBytes(of: data.data.handles.handle) {
        Array($0.bindMemory(to: TPM2_HANDLE.self).prefix(Int(data.data.handles.count)))
      }
    } ?? []
  }

  /// Whether somebody has set a password on the owner's hierarchy.
  func hasOwnerPassword() throws(StorageError) -> Bool {
    try capability(ctss2_cap_properties, ctss2_pt_permanent, count: 1) { data in
      data.data.tpmProperties.count > 0
        && data.data.tpmProperties.tpmProperty.0.value & ctss2_permanent_owner_auth_set != 0
    } ?? false
  }

  private func capability<Result>(
    _ kind: TPM2_CAP,
    _ first: UInt32,
    count: UInt32,
    _ body: (TPMS_CAPABILITY_DATA) -> Result
  ) throws(StorageError) -> Result? {
    var data: UnsafeMutablePointer<TPMS_CAPABILITY_DATA>?
    try call(.lookAround) {
      functions.get_capability(
        esys,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        ESYS_TR_NONE,
        kind,
        first,
        count,
        nil,
        &data
      )
    }
    return take(data, body)
  }
}
#endif
