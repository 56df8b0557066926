package import AuthNetworking
internal import GRPC
package import GroupMessages
package import SecureStorage
package import SessionModels

extension ClientError {
  /// What AuthNetworking's error is on the command line.
  package init(_ error: AuthError) {
    if let storageError = error.storageError {
      self.init(storageError)
      return
    }
    let code: Code =
      switch error.code {
      case .invalidInput: .invalidInput
      case .notSignedIn: .notSignedIn
      case .invalidCredentials: .invalidCredentials
      case .sessionEnded: .sessionEnded
      case .rejected: .rejected
      case .network: .network
      case .timeout: .timeout
      case .tls: .tls
      case .pinMismatch: .pinMismatch
      case .server: .server
      case .rateLimited: .rateLimited
      case .storage, .file: .storage
      case .body: .invalidInput
      // No command runs read-only or in the background, so this would be a defect.
      case .readOnly, .suspended: .internal
      case .cancelled: .interrupted
      }
    self.init(
      code,
      code == .network ? TransportWords.onceNamed(error.message) : error.message,
      advice: ErrorAdvice.text(for: code, saying: error.message),
      status: error.status,
      fields: error.fields.sorted { $0.key < $1.key }.map {
        Field(name: $0.key, message: $0.value)
      },
      requestID: error.requestID,
      retryAfter: error.retryAfter.map(ClientError.wholeSeconds)
    )
  }

  /// What SecureStorage's error is on the command line.
  package init(_ error: StorageError) {
    let code: Code =
      switch error.code {
      case .vaultLocked: .vaultLocked
      case .vaultUnavailable: .vaultUnavailable
      case .wrongKey: .wrongKey
      case .keyLost: .keyLost
      case .damaged: .damaged
      case .tampered: .tampered
      case .newerFormat: .newerFormat
      case .invalidInput: .invalidInput
      case .io, .misuse, .busy, .cipherUnavailable: .storage
      case .otherVault: .usage
      }
    self.init(
      code,
      error.message,
      advice: error.advice.isEmpty ? nil : error.advice,
      // A busy lock passes by itself (R1).
      exitStatus: error.code == .busy ? .temporary : nil
    )
  }

  /// Whether the session cannot come back any more: whoever needs one has to sign in again (R14).
  var endsSession: Bool { code == .keyLost || code == .tampered }

  /// The error where a command needs a session, and not the store itself.
  var asEndOfSession: ClientError {
    var error = self
    error.exitStatusOverride = .notSignedIn
    error.advice = "Sign in with login: what cannot be opened any more is set aside"
    return error
  }

  /// What GroupMessages' error is on the command line.
  package init(_ error: MessageError) {
    switch error {
    case .invalidInput(.limit), .invalidInput(.before):
      self.init(.usage, error.description)
    case .invalidInput:
      self.init(.invalidInput, error.description)
    case .groupNotFound:
      self.init(.rejected, error.description, status: 404)
    case .rejected(let rejection):
      let code: Code =
        switch rejection.status {
        case 429: .rateLimited
        case 408: .timeout
        case 500...599: .server
        default: .rejected
        }
      self.init(
        code,
        rejection.message,
        status: rejection.status,
        requestID: rejection.requestID,
        retryAfter: rejection.retryAfter.map(ClientError.wholeSeconds)
      )
    case .malformedAnswer:
      self.init(.server, error.description)
    case .sessionChanged:
      self = .sessionChanged
    case .cancelled:
      self.init(.interrupted, "")
    case .storage(let error as StorageError):
      self.init(error)
    case .storage(let error):
      self.init(.storage, "The messages cannot be kept: \(error)")
    case .underlying(let error as AuthError, _):
      self.init(error)
    case .underlying(let error as GRPCError, _):
      self.init(error)
    case .underlying(let error, _):
      self.init(.internal, String(describing: error))
    }
  }

  /// The session went while a command ran, and the command knows no more than that.
  static let sessionChanged = ClientError(.sessionEnded, MessageError.sessionChanged.description)

  /// The same with the reason and what to do, where all that it says is that the session went.
  ///
  /// - Parameter state: the session's by now; nil where none was looked at.
  /// - Returns: the error to print.
  func explained(by state: SessionState?) -> ClientError {
    guard self == .sessionChanged else { return self }
    guard case .signedOut(let reason) = state, reason != .never else {
      var error = self
      error.advice = "status says who is signed in"
      return error
    }
    return ClientError(
      .sessionEnded,
      "The session has ended: \(reason.words)",
      advice: "Sign in with login"
    )
  }

  /// Input that a form's check refuses, with the wire's names.
  package init(_ error: ValidationError, api: any AuthAPI) {
    self.init(
      .invalidInput,
      "The input is invalid",
      fields: error.faults.map {
        Field(name: api.wireName(of: $0.field), message: $0.problem.message)
      }
    )
  }

  /// Seconds, rounded up: asking too early is what is to be avoided.
  static func wholeSeconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return Int(clamping: seconds) + (attoseconds > 0 ? 1 : 0)
  }
}
