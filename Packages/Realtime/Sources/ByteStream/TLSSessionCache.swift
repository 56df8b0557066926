internal import COpenSSL
internal import Synchronization

/// The TLS sessions that may be resumed with the servers of one ``TLSContext``.
///
/// A session belongs to one host and port, and to one context: it is never resumed where other
/// roots or pins would have to be satisfied, for it carries no certificate that could be checked.
final class TLSSessionCache: Sendable {
  /// A reference to a session of OpenSSL.
  ///
  /// `@unchecked` holds because a session is not changed any more once it was handed out, and
  /// OpenSSL counts references to it atomically.
  final class Session: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the caller's reference.
    init(adopting pointer: OpaquePointer) { self.pointer = pointer }

    deinit { SSL_SESSION_free(pointer) }

    /// A ticket of TLS 1.3 is shown once, so that nobody can tell two connections to be one
    /// client's (RFC 8446, appendix C.4); a session of TLS 1.2 has no successor.
    var isForOneUse: Bool { SSL_SESSION_get_protocol_version(pointer) >= TLS1_3_VERSION }

    /// Whether OpenSSL would resume it and its certificate is still valid: dates are checked in
    /// full handshakes only.
    var isUsable: Bool {
      guard SSL_SESSION_is_resumable(pointer) == 1,
        let certificate = SSL_SESSION_get0_peer(pointer)
      else { return false }
      return X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0
    }
  }

  /// Servers send a few tickets a connection; more than these serve nobody.
  private static let maximumPerHost = 4
  private static let maximumHosts = 64

  private let sessions = Mutex<[String: [Session]]>([:])

  /// Keeps a session for the next connection to `key`.
  func keep(_ session: Session, for key: String) {
    sessions.withLock { sessions in
      if sessions[key] == nil, sessions.count >= Self.maximumHosts { sessions = [:] }
      sessions[key, default: []].append(session)
      if sessions[key, default: []].count > Self.maximumPerHost { sessions[key]?.removeFirst() }
    }
  }

  /// The newest session for `key` that is still of use.
  func take(for key: String) -> Session? {
    sessions.withLock { sessions in
      while let session = sessions[key]?.popLast() {
        guard session.isUsable else { continue }
        if !session.isForOneUse { sessions[key]?.append(session) }
        return session
      }
      sessions[key] = nil
      return nil
    }
  }
}
