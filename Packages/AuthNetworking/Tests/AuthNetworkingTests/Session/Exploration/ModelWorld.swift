@testable import AuthNetworking
import SecureStorage
import SessionModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Two processes, one store, one lock, one server: a state of the exploration.
struct ModelWorld {
  /// How often things may still happen that make the space grow.
  struct Budget: Hashable {
    var requests = 2
    var lostMessages = 0
    var storageFailures = 0
    var crashes = 0
    var signOuts = 0
    var signIns = 0
    var reauthentications = 0
    /// How often the server asks for no refresh for a time, which then does not pass.
    var pauses = 0
    /// How often the app goes to the background; it comes back whenever it likes.
    var absences = 0
    var cancellations = 0
    var expiries = 0
    var revocations = 0
    /// How often the vault locks; it unlocks whenever it likes.
    var lockings = 0
    /// How often the refresh lock is busy for too long.
    var busyLocks = 0
    /// How often somebody asks for a refresh, whatever the token.
    var demands = 0
    /// How often a resource answers 401 to a token that is good.
    var rejections = 0
    /// How often the server keeps the refresh token and sends none.
    var keptTokens = 0
    /// What kind of session it is, and who shares it.
    var kind = Kind.plain
  }

  /// What differs between explorations besides what may happen.
  enum Kind: Hashable {
    case plain
    /// One process alone, so that long histories are reached.
    case alone
    /// The token that is stored lives still, and is to be replaced ahead of time (R11).
    case aging
    /// Access tokens are kept in memory.
    case memory
    /// The opaque model: one token, and no refresh.
    case opaque
    /// The second process may not refresh.
    case readOnly
    /// What a resent attempt brings has expired by then.
    case late
  }

  let kind: Kind
  /// Whether a refresh may be right though the stored token is good.
  let refreshesGoodTokens: Bool
  var processes: [ModelProcess]
  var store: SessionRecord
  var commits = 0
  var server = ModelServer()
  var budget: Budget
  /// Requests that nobody waits for any more and that the network still carries.
  var ghosts: [(token: Secret, id: String)] = []
  /// Every token that was ever durable.
  var durable: Set<String> = []
  /// Which session each family of the server belongs to.
  var generations: [Int: UInt64] = [0: 1]
  /// Whether the vault is locked: nothing can be read or written until it is unlocked.
  var isLocked = false
  /// A commit that failed and that the next start replays, unless another one overwrites it before.
  var replay: (record: SessionRecord, owner: Int)?
  /// Whose session may be stored; nil after a sign-out until the next sign-in.
  var owner: Int? = 0
  var attempts = 0
  var endings = 0
  var waiters = 0
  /// The rules that were broken on the way here.
  var violations: [String] = []

  init(budget: Budget) {
    self.budget = budget
    let kind = budget.kind
    self.kind = kind
    refreshesGoodTokens = kind == .aging || budget.demands + budget.rejections > 0
    processes = (0..<(kind == .alone ? 1 : 2)).map { number in
      ModelProcess(
        policy: SessionMachine.Policy(
          isReadOnly: kind == .readOnly && number == 1,
          keepsAccessTokenInMemory: kind == .memory
        )
      )
    }
    store = SessionRecord(
      generation: 1,
      authInfo: ModelWorld.info(kind, family: 0, number: 0, generation: 1),
      signOutReason: .never
    )
    noteDurable()
    switch kind {
    case .opaque: break
    case .aging:
      let soon = ModelProcess.moment.wall + 30
      store.authInfo?.accessTokenExpiresAt = Date(timeIntervalSince1970: soon)
      store.authInfo?.accessTokenLifetime = 900
    default:
      // The access token that is stored has expired, so that the first request refreshes.
      server.expireAccessTokens()
      guard kind != .memory else { break }
      store.authInfo?.accessTokenExpiresAt = Date(timeIntervalSince1970: 1)
      store.authInfo?.accessTokenLifetime = 10
    }
    server.agesAnswers = kind == .late
    for index in processes.indices { observe(index) }
  }

  static func info(
    _ kind: Kind,
    family: Int,
    number: Int,
    generation: UInt64
  ) -> AuthInfo {
    AuthInfo(
      session: Session(
        accessToken: kind == .memory ? nil : ModelServer.access(family, number),
        refreshToken: kind == .opaque ? nil : ModelServer.refresh(family, number),
        userID: UserID("user-\(family)")
      ),
      dialect: .skyConnect,
      tokenModel: kind == .opaque ? .opaque : .accessRefresh,
      baseURL: baseURL(of: generation),
      deviceID: .mobileApp
    )
  }

  /// Each session is another backend's, so that no token of one may go to the other's (R8).
  static func baseURL(of generation: UInt64) -> String {
    "https://api-\(generation).example.org"
  }

  mutating func noteDurable() {
    guard let session = store.authInfo?.session else { return }
    for token in [session.accessToken?.secret, session.refreshToken].compactMap({ $0 }) {
      durable.insert(token.reveal())
    }
  }

  mutating func require(_ rule: String, _ holds: Bool) {
    if !holds { violations.append(rule) }
  }
}
