public import SecureStorage
public import SessionModels

/// Why something about the session, or an authenticated request, did not work.
///
/// The message is for people and ``code`` for programs; neither holds a secret (R9), and text
/// that a server sent went through a ``Redactor``.
public struct AuthError: Error, Equatable, Sendable {
  /// What happened, for programs.
  public var code: Code
  /// What happened, for people.
  public var message: String
  /// The HTTP status, where there was an answer.
  public var status: Int?
  /// What is wrong with single inputs, by the wire's names.
  public var fields: [String: String]
  /// The `X-Request-Id` of the attempt that failed.
  public var requestID: String?
  /// How long the server asked to wait before trying again.
  public var retryAfter: Duration?
  /// Why the session ended; only with ``Code/sessionEnded``, and where known with
  /// ``Code/notSignedIn``.
  public var signOutReason: SignOutReason?
  /// What the store said; only with ``Code/storage``.
  public var storageError: StorageError?
  /// Whether it is certain that the server has not carried the request out: nothing was sent, or it
  /// was refused with a 401 and not made again.
  ///
  /// False where nobody knows.
  public var isWithoutEffect = false

  /// What happened, for programs.
  public enum Code: String, Sendable, CaseIterable {
    /// The input is wrong; the network was not asked, or the request could not be formed.
    case invalidInput
    /// Nobody is signed in; nothing was sent.
    case notSignedIn
    /// The server does not know this name and password.
    case invalidCredentials
    /// The session has ended: sign in again.
    case sessionEnded
    /// The server refused the request, or its answer is larger than allowed.
    case rejected
    /// The server could not be reached, or hung up. Temporary.
    case network
    /// No answer in time, or the server said so itself (408). Temporary.
    case timeout
    /// TLS failed. Temporary: the session is kept (R5).
    case tls
    /// The server's key is none of the pinned ones. Temporary: the session is kept (R5).
    case pinMismatch
    /// The server failed, or answered what is no answer of its dialect. Temporary.
    case server
    /// The server asked for fewer requests (429). Temporary.
    case rateLimited
    /// The store or its vault failed, see ``AuthError/storageError``.
    case storage
    /// The access token has expired, and this process may not refresh it (an extension): nothing
    /// was sent. Temporary: whoever may refresh will.
    case readOnly
    /// The access token has expired and the app is in the background, where nothing is refreshed:
    /// nothing was sent. Temporary: it is when the app comes to the front.
    case suspended
    /// The request's body could not be read; or, with status 401, it is a one-shot stream, which
    /// cannot be replayed (R6): the session is refreshed, make the request again.
    case body
    /// The file to download into could not be written.
    case file
    /// The caller's task was cancelled.
    case cancelled
  }

  /// An error from its parts.
  public init(
    _ code: Code,
    _ message: String,
    status: Int? = nil,
    fields: [String: String] = [:],
    requestID: String? = nil,
    retryAfter: Duration? = nil,
    signOutReason: SignOutReason? = nil,
    storageError: StorageError? = nil
  ) {
    self.code = code
    self.message = message
    self.status = status
    self.fields = fields
    self.requestID = requestID
    self.retryAfter = retryAfter
    self.signOutReason = signOutReason
    self.storageError = storageError
  }
}

extension AuthError {
  /// The error of an exchange that brought no answer that could be taken.
  public init(_ error: TransportError, requestID: String? = nil) {
    let code: Code =
      switch error.code {
      case .network: .network
      case .timeout: .timeout
      case .tls: .tls
      case .pinMismatch: .pinMismatch
      case .responseTooLarge, .tooManyRedirects: .rejected
      case .cancelled: .cancelled
      case .invalidRequest: .invalidInput
      case .body: .body
      case .file: .file
      }
    self.init(code, error.message, requestID: requestID)
    isWithoutEffect = error.isUnsent
  }

  /// The error of a store that failed.
  public init(_ error: StorageError) {
    self.init(.storage, error.description, storageError: error)
  }

  /// The error of input that is wrong, with the field names of a dialect.
  public init(_ error: ValidationError, dialect: any AuthAPI) {
    let fields = error.faults.map { (dialect.wireName(of: $0.field), $0.problem.message) }
    self.init(
      .invalidInput,
      error.faults.map(\.problem.message).joined(separator: "; "),
      fields: Dictionary(fields) { first, _ in first }
    )
  }

  /// The end of a session, with its reason.
  public static func sessionEnded(
    _ reason: SignOutReason,
    message: String? = nil,
    status: Int? = nil,
    requestID: String? = nil
  ) -> AuthError {
    AuthError(
      .sessionEnded,
      message ?? "The session has ended (\(reason)): sign in again",
      status: status,
      requestID: requestID,
      signOutReason: reason
    )
  }

  /// Whether trying again later can help: the session is kept (R5).
  ///
  /// Of a store's failures it is so for a lock that another process kept for too long (R1).
  public var isTemporary: Bool {
    switch code {
    case .network, .timeout, .tls, .pinMismatch, .server, .rateLimited, .readOnly, .suspended: true
    case .storage: storageError?.code == .busy
    case .invalidInput, .notSignedIn, .invalidCredentials, .sessionEnded, .rejected, .body, .file,
      .cancelled:
      false
    }
  }

  /// The same error with every secret that its texts quote taken out (R9).
  public func redacted(by redactor: Redactor) -> AuthError {
    var copy = self
    copy.message = redactor.redact(message)
    copy.fields = fields.mapTexts(redactor.redact)
    return copy
  }
}

extension AuthError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
