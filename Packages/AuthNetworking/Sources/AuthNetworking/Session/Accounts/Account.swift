public import SecureStorage
public import SessionModels

/// One of the accounts of an install, as a list shows it; holds no secret.
public struct Account: Equatable, Sendable, Identifiable {
  /// What the install calls it.
  public var name: AccountName
  /// Whose it is; nil where nobody is signed in.
  public var userID: UserID?
  /// The user as last seen; nil where the backend did not say.
  public var user: User?
  /// The backend; nil where nobody is signed in.
  public var baseURL: String?
  /// The backend's dialect; nil where nobody is signed in.
  public var dialect: DialectName?
  /// Why nobody is signed in; nil where somebody is, or it is not known.
  public var signOutReason: SignOutReason?
  /// Why it is not known whether somebody is: locked and damaged are no absence (R14).
  public var problem: StorageError?
  /// Whether it is the one that was chosen.
  public var isActive: Bool

  /// What ``name`` says.
  public var id: AccountName { name }

  init(_ name: AccountName, _ record: Result<SessionRecord, StorageError>, isActive: Bool) {
    self.name = name
    self.isActive = isActive
    switch record {
    case .failure(let error): problem = error
    case .success(let record):
      guard let info = record.authInfo else {
        signOutReason = record.signOutReason
        return
      }
      userID = info.session.userID
      user = info.user
      baseURL = info.baseURL
      dialect = info.dialect
    }
  }
}

/// The chosen account and its session's state, always as a whole.
public struct ActiveAccount: Equatable, Sendable {
  /// The account; nil where none is chosen.
  public var name: AccountName?
  /// Its state; `signedOut(.never)` where none is chosen.
  public var state: SessionState

  /// An account and its state.
  public init(name: AccountName?, state: SessionState) {
    self.name = name
    self.state = state
  }

  /// None is chosen.
  public static let none = ActiveAccount(name: nil, state: .signedOut(.never))
}
