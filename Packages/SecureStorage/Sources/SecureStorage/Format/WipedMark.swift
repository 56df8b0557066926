internal import SessionModels

/// What stands where a session was wiped without a key: it makes the session's absence legal.
///
/// It is plain, and anybody who can write the file can forge it; but who can write the file can
/// also destroy the session, and that is all that a forged one does.
struct WipedMark: Equatable, Sendable {
  /// Why nobody is signed in.
  let reason: SignOutReason
  /// The session generation that begins with the wipe (see ``SessionRecord/generation``).
  let sessionGeneration: UInt64

  init(reason: SignOutReason, sessionGeneration: UInt64) {
    self.reason = reason
    self.sessionGeneration = sessionGeneration
  }

  func framed() -> [UInt8] {
    var writer = ByteWriter()
    writer.number(sessionGeneration)
    writer.raw(Array(reason.rawValue.utf8.prefix(256)))
    return Checksummed.frame(writer.bytes)
  }

  init?(framed: [UInt8]) {
    guard let payload = Checksummed.payload(of: framed) else { return nil }
    var reader = ByteReader(payload)
    guard let generation = reader.number(UInt64.self) else { return nil }
    sessionGeneration = generation
    reason = SignOutReason(rawValue: String(decoding: reader.rest(), as: UTF8.self))
  }
}
