package import AuthNetworking
package import SessionModels

/// Which backend a command talks to, and in which dialect.
package struct Backend: Sendable {
  /// Its base URL.
  package var baseURL: HTTPURL
  /// Its dialect.
  package var api: any AuthAPI
  /// How it keeps its users signed in.
  package var tokenModel: TokenModel

  /// A backend from its parts.
  package init(baseURL: HTTPURL, api: any AuthAPI, tokenModel: TokenModel) {
    self.baseURL = baseURL
    self.api = api
    self.tokenModel = tokenModel
  }

  /// The dialect of a name; nil for one that this build does not speak.
  package static func api(named name: DialectName) -> (any AuthAPI)? {
    switch name {
    case .skyConnect: SkyConnectAPI()
    case .ksn: KSNAPI()
    default: nil
    }
  }
}
