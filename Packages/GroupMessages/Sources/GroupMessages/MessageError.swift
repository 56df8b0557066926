/// What can go wrong with group messages.
public enum MessageError: Error, Sendable {
  /// The input is wrong; nothing was sent.
  case invalidInput(MessageInputProblem)
  /// There is no such group, or the user is not a member of it (404).
  case groupNotFound(String)
  /// The server answered with a status that is no success.
  case rejected(MessageRejection)
  /// A success whose body is not of the dialect's form, e.g. a captive portal's page. The text
  /// says what was missing, never what was there.
  case malformedAnswer(String)
  /// The user signed out or another one signed in while the answer was awaited.
  case sessionChanged
  /// The task was cancelled.
  case cancelled
  /// The store failed, and its error is passed on as it is.
  case storage(any Error)
  /// An error of a port, passed on as it is.
  case underlying(any Error, isTemporary: Bool)
}

extension MessageError {
  /// Whether the same call may succeed later without anybody doing anything.
  public var isTemporary: Bool {
    switch self {
    case .rejected(let rejection): rejection.isTemporary
    case .malformedAnswer: true
    case .underlying(_, let isTemporary): isTemporary
    case .invalidInput, .groupNotFound, .sessionChanged, .cancelled, .storage: false
    }
  }

  /// What happened, for programs.
  public var code: String {
    switch self {
    case .invalidInput: "invalidInput"
    case .groupNotFound: "notFound"
    case .rejected: "rejected"
    case .malformedAnswer: "malformedAnswer"
    case .sessionChanged: "sessionChanged"
    case .cancelled: "cancelled"
    case .storage: "storage"
    case .underlying: "underlying"
    }
  }

  /// How long the server asked to wait, where it did.
  public var retryAfter: Duration? {
    if case .rejected(let rejection) = self { rejection.retryAfter } else { nil }
  }

  /// What the storage threw, as one of ours.
  init(storageError error: any Error) {
    self =
      if let error = error as? MessageError {
        error
      } else if error is CancellationError {
        .cancelled
      } else {
        .storage(error)
      }
  }

  /// What a port threw, as one of ours.
  init(portError error: any Error, isTemporary: Bool) {
    self =
      if let error = error as? MessageError {
        error
      } else if error is CancellationError {
        .cancelled
      } else {
        .underlying(error, isTemporary: isTemporary)
      }
  }
}

extension MessageError: CustomStringConvertible {
  /// What happened, for people.
  public var description: String {
    switch self {
    case .invalidInput(let problem): problem.message
    case .groupNotFound(let group): "There is no group \(group), or you are not a member of it"
    case .rejected(let rejection): rejection.message
    case .malformedAnswer(let detail): "The server's answer makes no sense: \(detail)"
    case .sessionChanged: "You were signed out, or another user signed in"
    case .cancelled: "Cancelled"
    case .storage(let error): "The message store failed: \(error)"
    case .underlying(let error, _): String(describing: error)
    }
  }
}
