internal import AuthNetworking
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SessionModels

/// What `status`, `login`, `register`, `restore` and `refresh` print.
struct StatusReport {
  /// Who is signed in; nil where nobody is, or nobody knows.
  var authInfo: AuthInfo?
  /// Why nobody is; nil where somebody is, or nobody knows.
  var reason: SignOutReason?
  /// Whether the server could not confirm the session just now.
  var isStale = false
  /// The vault's name.
  var vault: String
  /// The path of the store's database.
  var store: String
  /// The present, to say how long the token lives.
  var now: Date

  private var state: String {
    if authInfo != nil { "signedIn" } else if reason != nil { "signedOut" } else { "unknown" }
  }

  /// The line for programs, as cli.md has it.
  var json: JSONValue {
    .members([
      "state": .string(state),
      "reason": authInfo == nil ? reason.map { .string($0.rawValue) } : nil,
      "userID": authInfo.map { .string($0.session.userID.rawValue) },
      "dialect": authInfo.map { .string($0.dialect.rawValue) },
      "baseURL": authInfo.map { .string(StatusReport.base($0)) },
      "accessTokenExpiresAt": authInfo?.accessTokenExpiresAt.map { .string(Instant.text(of: $0)) },
      "authenticatedAt": authInfo?.authenticatedAt.map { .string(Instant.text(of: $0)) },
      "onboardingCompleted": authInfo?.user?.onboardingCompleted.map(JSONValue.bool),
      "user": authInfo?.user.map(UserReport.json),
      "stale": isStale ? .bool(true) : nil,
      "vault": .string(vault),
      "store": .string(store),
    ])
  }

  /// The lines for people.
  func text(_ console: Console) -> String {
    guard let authInfo else {
      let title = reason == nil ? "Unknown" : "Signed out"
      let words = reason?.words ?? "the store cannot be read just now"
      return console.style.paint(title, .bold, on: .results) + ": \(words)"
        + "\n" + Rows.text([("Vault", vault), ("Store", store)])
    }
    let name = authInfo.user.map(UserReport.name) ?? "user \(authInfo.session.userID)"
    var rows = [
      ("User", authInfo.session.userID.rawValue),
      (
        "Backend",
        "\(StatusReport.base(authInfo)) (\(authInfo.dialect), \(authInfo.tokenModel.rawValue))"
      ),
    ]
    if let expiry = authInfo.accessTokenExpiresAt {
      let left = RelativeTime.text(seconds: expiry.timeIntervalSince(now))
      rows.append(("Token", "expires \(left) (\(Instant.text(of: expiry)))"))
    }
    if isStale { rows.append(("Confirmed", "no: the server could not be asked just now")) }
    if authInfo.user?.onboardingCompleted == false {
      rows.append(("Onboarding", "not completed; resume at the education screen"))
    }
    rows += [("Vault", vault), ("Store", store)]
    return console.style.paint("Signed in as \(Printable.text(name))", .bold, on: .results)
      + "\n" + Rows.text(rows)
  }

  /// The backend without the slash that stands for an empty path: as people write it.
  private static func base(_ info: AuthInfo) -> String {
    let isBare = info.baseURL.hasSuffix("/") && info.baseURL.count { $0 == "/" } == 3
    return isBare ? String(info.baseURL.dropLast()) : info.baseURL
  }
}
