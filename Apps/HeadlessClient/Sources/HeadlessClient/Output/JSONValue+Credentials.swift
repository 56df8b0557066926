internal import AuthNetworking
internal import SessionModels

extension JSONValue {
  /// The same value with the credentials in it redacted: what stands under a name that the
  /// contract gives to tokens, passwords and seeds, whoever they belong to (R9).
  func redactingCredentials() -> JSONValue {
    switch self {
    case .null, .bool, .number, .string: self
    case .array(let elements): .array(elements.map { $0.redactingCredentials() })
    case .object(let object):
      .object(
        JSONObject(
          object.map { name, value in
            guard JSONValue.credentialNames.contains(name), case .string(let text) = value else {
              return (name, value.redactingCredentials())
            }
            return (name, .string(Secret(text).redacted))
          }
        )
      )
    }
  }

  private static let credentialNames: Set<String> = [
    "access_token", "refresh_token", "identity_seed", "id_token", "session_token", "password",
    "accessToken", "refreshToken", "identitySeed", "idToken", "sessionToken",
  ]
}
