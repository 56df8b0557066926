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
    /// How often the server keeps the refresh token and sends none.
    var keptTokens = 0
  }

  var processes = [ModelProcess(), ModelProcess()]
  var store: SessionRecord
  var commits = 0
  var server = ModelServer()
  var budget: Budget
  /// Requests of a dead process that the network still carries.
  var ghosts: [(token: Secret, id: String)] = []
  /// Every access token that was ever durable.
  var durable: Set<String> = []
  /// Whether the vault is locked: nothing can be read or written until it is unlocked.
  var isLocked = false
  /// Whose session may be stored; nil after a sign-out until the next sign-in.
  var owner: Int? = 0
  var attempts = 0
  var endings = 0
  var waiters = 0
  /// The rules that were broken on the way here.
  var violations: [String] = []

  init(budget: Budget) {
    self.budget = budget
    store = SessionRecord(
      generation: 1,
      authInfo: ModelWorld.info(family: 0, number: 0),
      signOutReason: .never
    )
    noteDurable()
    // The access token that is stored has expired, so that the first request refreshes.
    server.expireAccessTokens()
    store.authInfo?.accessTokenExpiresAt = Date(timeIntervalSince1970: 1)
    store.authInfo?.accessTokenLifetime = 10
    for index in processes.indices { observe(index) }
  }

  static func info(family: Int, number: Int) -> AuthInfo {
    AuthInfo(
      session: Session(
        accessToken: ModelServer.access(family, number),
        refreshToken: ModelServer.refresh(family, number),
        userID: UserID("user-\(family)")
      ),
      dialect: .skyConnect,
      tokenModel: .accessRefresh,
      baseURL: "https://api.example.org",
      deviceID: .mobileApp
    )
  }

  mutating func noteDurable() {
    if let token = store.authInfo?.session.accessToken { durable.insert(token.secret.reveal()) }
  }

  mutating func require(_ rule: String, _ holds: Bool) {
    if !holds { violations.append(rule) }
  }
}
