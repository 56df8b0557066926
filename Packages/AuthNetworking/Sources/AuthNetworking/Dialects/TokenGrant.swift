public import SessionModels

/// The tokens out of an answer.
public struct TokenGrant: Equatable, Sendable {
  /// The bearer token.
  public let accessToken: AccessToken
  /// The refresh token; nil where it is missing, `null` or empty.
  public let refreshToken: Secret?
  /// The access token's lifetime in seconds; nil where it is missing, not above 0, or absurd.
  public let expiresIn: Double?

  /// What the wire calls the tokens.
  public struct Names: Sendable {
    /// The access token's name.
    public var accessToken: String
    /// The refresh token's name.
    public var refreshToken: String
    /// The lifetime's name.
    public var expiresIn: String

    /// Names from their parts.
    public init(accessToken: String, refreshToken: String, expiresIn: String) {
      self.accessToken = accessToken
      self.refreshToken = refreshToken
      self.expiresIn = expiresIn
    }
  }

  /// Reads the tokens, or nil where there is no access token that a header can carry, or the
  /// refresh token is no text, or only spaces, or has control characters in it.
  public init?(_ payload: JSONValue, names: Names) {
    guard let access = payload[names.accessToken]?.string, TokenGrant.fitsHeader(access) else {
      return nil
    }
    switch payload[names.refreshToken] {
    case nil, .null?, .string("")?: refreshToken = nil
    case .string(let text)? where TokenGrant.isVisible(text): refreshToken = Secret(text)
    default: return nil
    }
    accessToken = AccessToken(Secret(access))
    expiresIn = payload[names.expiresIn].flatMap(TokenGrant.lifetime)
  }

  /// Whether the grant is what sign-in brings in a model: the model is configured, and an answer
  /// of the other one is an error.
  public func fits(_ model: TokenModel) -> Bool {
    switch model {
    case .accessRefresh: refreshToken != nil
    case .opaque: refreshToken == nil
    }
  }

  /// Whether there is something in a text, and nothing that no token is made of: a token of spaces
  /// would be spent as one, and end the session when it is refused.
  private static func isVisible(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
      && !text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
  }

  /// Visible ASCII only: all else would break the header, or be another token on arrival.
  private static func fitsHeader(_ token: String) -> Bool {
    !token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  // Some backends send the number as text. Over ten years is no lifetime but a mistake.
  private static func lifetime(_ value: JSONValue) -> Double? {
    guard let seconds = value.number?.double ?? value.string.flatMap(Double.init),
      seconds > 0, seconds <= 315_360_000
    else { return nil }
    return seconds
  }
}
