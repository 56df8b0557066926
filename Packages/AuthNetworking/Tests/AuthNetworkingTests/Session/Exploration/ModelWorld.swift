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
    var cancellations = 0
    var expiries = 0
    var revocations = 0
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

// Equal worlds have equal keys.
extension ModelWorld {
  var key: Int {
    var hasher = Hasher()
    hasher.combine(ModelWorld.key(store))
    hasher.combine(server)
    hasher.combine(budget)
    hasher.combine(ghosts.map { $0.token.reveal() + $0.id }.sorted())
    hasher.combine(durable)
    hasher.combine(owner)
    for process in processes {
      hasher.combine(ModelWorld.key(process, isCurrent: process.seen == commits))
    }
    return hasher.finalize()
  }

  static func key(_ record: SessionRecord) -> String {
    let session = record.authInfo?.session
    return
      "\(record.generation)/\(key(session?.accessToken))/\(session?.refreshToken?.reveal() ?? "-")"
      + "/\(record.attempt?.id ?? "-")\(record.attempt?.fingerprint.hex.prefix(4) ?? "")"
      + record.signOutReason.rawValue
  }

  static func key(_ token: AccessToken?) -> String { token?.secret.reveal() ?? "-" }

  static func key(_ answer: RefreshAnswer) -> String {
    switch answer {
    case .rotated(let access, let refresh, _): key(access) + (refresh?.reveal() ?? "-")
    case .refused(let reason, _): reason.rawValue
    case .temporary: "temporary"
    }
  }

  static func key(_ commit: RotationCommit) -> String {
    "\(commit.received.generation)\(commit.presented.reveal())\(key(commit.received.token))"
  }

  static func key(_ process: ModelProcess, isCurrent: Bool) -> String {
    let machine = process.machine
    var text: String
    switch machine.held {
    case .unknown: text = "?"
    case .signedOut(let reason, let generation): text = "out\(reason)\(generation ?? 0)"
    case .signedIn(let session):
      text =
        "in\(session.generation)\(key(session.accessToken))\(session.isStale)"
        + (session.refreshToken?.reveal() ?? "-") + "\(session.life.end)"
    }
    if let flight = machine.flight {
      text += "F\(flight.generation)\(flight.stage)\(key(flight.replaces))"
      text += flight.waiters.map { "\($0.id.number)\(key($0.refused))\($0.acceptsLiveToken)" }
        .joined(separator: ",")
    }
    switch machine.unsaved {
    case .rotation(let commit): text += "U" + key(commit)
    case .end(let end): text += "E\(end.generation)"
    case nil: break
    }
    text += "R\(key(machine.received?.token))A\(key(machine.acceptedToken))"
    text += "S\(machine.signedOutGeneration ?? 0)\(isCurrent)\(process.holdsLock != nil)"
    text += process.pending.map { $0.key(in: process) }.sorted().joined(separator: ";")
    text += process.waiting.map { "\($0.key.number)\($0.value)" }.sorted().joined(separator: ",")
    return text
  }
}
