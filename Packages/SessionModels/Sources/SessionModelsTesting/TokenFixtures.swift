public import SessionModels

/// Tokens for tests: well-formed, readable, and signed by nobody.
public enum TokenFixtures {
  /// A JWT whose payload is the given JSON text, signed with a constant.
  public static func jwt(payload: String) -> Secret {
    let header = #"{"alg":"none","typ":"JWT"}"#
    let token = Secret("\(base64URL(header)).\(base64URL(payload)).c2lnbmF0dXJl")
    SecretSweep.made(token)
    return token
  }

  /// A JWT that expires at a second since the Unix epoch.
  public static func jwt(
    subject: String = "user-1",
    sessionID: String = "session-1",
    issuedAt: Int = 1_700_000_000,
    expiresAt: Int
  ) -> Secret {
    jwt(
      payload:
        #"{"sub":"\#(subject)","sid":"\#(sessionID)","iat":\#(issuedAt),"exp":\#(expiresAt)}"#
    )
  }

  /// Base64url without padding.
  public static func base64URL(_ text: String) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var result = ""
    var accumulator = 0
    var bits = 0
    for byte in text.utf8 {
      accumulator = accumulator << 8 | Int(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        result.append(alphabet[accumulator >> bits & 63])
      }
      accumulator &= 1 << bits - 1
    }
    if bits > 0 { result.append(alphabet[accumulator << (6 - bits) & 63]) }
    return result
  }
}
