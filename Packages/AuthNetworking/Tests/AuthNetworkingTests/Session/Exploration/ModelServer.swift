import AuthNetworking
import SessionModels

/// A backend as the rules see it: families of rotating tokens, and what it makes of each use.
struct ModelServer: Hashable {
  struct Family: Hashable {
    /// The refresh token that is good now, by number.
    var current = 0
    /// Under which id each spent token was spent.
    var spentUnder: [Int: String] = [:]
    /// The access token that is good now; nil after it has expired.
    var access: Int? = 0
    /// How often an access token was given without a refresh token.
    var kept = 0
    /// Which of those was given under which id, where the server remembers that.
    var keptUnder: [String: Int] = [:]
    var isRevoked = false
  }

  var families: [Family] = [Family()]
  /// A spent token came under another id: what R2 forbids.
  var sawReuse = false
  /// Whether a resent attempt gets the first answer again, whose access token has expired meanwhile,
  /// also where that answer had no refresh token.
  var agesAnswers = false
  /// How often a refresh token was presented.
  var presentations = 0

  /// Access tokens that came without a refresh token are numbered from here.
  static let keptNumbers = 100

  static func refresh(_ family: Int, _ number: Int) -> Secret { Secret("r.\(family).\(number)") }

  static func access(_ family: Int, _ number: Int) -> AccessToken {
    AccessToken(Secret("a.\(family).\(number)"))
  }

  /// Family and number of a token.
  static func parts(_ token: Secret) -> (family: Int, number: Int) {
    let parts = token.reveal().split(separator: ".").compactMap { Int($0) }
    return (parts[0], parts[1])
  }

  func accepts(_ token: AccessToken) -> Bool {
    let (family, number) = ModelServer.parts(token.secret)
    return families[family].access == number && !families[family].isRevoked
  }

  mutating func expireAccessTokens() {
    for index in families.indices { families[index].access = nil }
  }

  /// The answer to a refresh, which the network may lose.
  mutating func refresh(_ token: Secret, id: String) -> RefreshAnswer {
    let (number, serial) = ModelServer.parts(token)
    var family = families[number]
    defer { families[number] = family }
    presentations += 1
    if family.isRevoked { return ModelServer.refused(.revoked) }
    if let kept = family.keptUnder[id] {
      if family.access == kept { family.access = nil }
      return .rotated(ModelServer.access(number, kept), refreshToken: nil, expiresIn: -1)
    }
    let isResend = family.spentUnder[serial] == id
    if let spentUnder = family.spentUnder[serial] {
      guard spentUnder == id else {
        sawReuse = true
        family.isRevoked = true
        return ModelServer.refused(.reuseDetected)
      }
    } else {
      family.spentUnder[serial] = id
      family.current = serial + 1
      family.access = serial + 1
    }
    let isAged = isResend && agesAnswers
    if isAged, family.access == serial + 1 { family.access = nil }
    return .rotated(
      ModelServer.access(number, serial + 1),
      refreshToken: ModelServer.refresh(number, serial + 1),
      expiresIn: isAged ? -1 : nil
    )
  }

  /// The same by a server that gives a new access token and lets the refresh token live on.
  mutating func refreshKeepingToken(_ token: Secret, id: String) -> RefreshAnswer {
    let (number, serial) = ModelServer.parts(token)
    guard !families[number].isRevoked, families[number].spentUnder[serial] == nil,
      families[number].keptUnder[id] == nil
    else { return refresh(token, id: id) }
    presentations += 1
    let fresh = ModelServer.keptNumbers + families[number].kept
    families[number].kept += 1
    families[number].access = fresh
    if agesAnswers { families[number].keptUnder[id] = fresh }
    return .rotated(ModelServer.access(number, fresh), refreshToken: nil, expiresIn: nil)
  }

  private static func refused(_ reason: SignOutReason) -> RefreshAnswer {
    .refused(reason, .sessionEnded(reason))
  }
}
