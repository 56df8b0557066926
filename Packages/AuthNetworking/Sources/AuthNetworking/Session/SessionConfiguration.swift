public import SessionModels

/// Which backend a ``SessionController`` talks to, and how.
public struct SessionConfiguration: Sendable {
  /// The backend's base URL, without the dialect's prefix.
  public var baseURL: HTTPURL
  /// The dialect that the backend speaks.
  public var dialect: any AuthAPI
  /// How the backend keeps its users signed in.
  ///
  /// An answer that fits another model is an error.
  public var tokenModel: TokenModel
  /// The id of this install.
  public var deviceID: DeviceID
  /// `X-Client-Version`, such as `headless-0.1.0(1)`.
  public var clientVersion: String
  /// `User-Agent`, such as `headless-client/0.1.0 (Linux 6.1)`.
  public var userAgent: String
  /// Whether the access token is kept at rest.
  public var accessTokenStorage = AccessTokenStorage.stored
  /// Whether this process may refresh.
  public var refreshPolicy = RefreshPolicy.automatic
  /// The most time for one HTTP attempt, unless the request says otherwise.
  public var requestTimeout = Duration.seconds(30)
  /// The most time for a refresh to be answered, whoever waits for it (R10).
  public var refreshTimeout = Duration.seconds(30)
  /// The most time to wait for another process that is refreshing (R1).
  ///
  /// Longer than its refresh takes at most, so that one slow refresh is not an error in all the
  /// others.
  public var refreshLockTimeout = Duration.seconds(40)
  /// The most time that ``SessionController/logout()`` waits for the server.
  public var logoutTimeout = Duration.seconds(5)
  /// After how long in the background ``SessionController/appDidBecomeActive()`` refreshes even a
  /// token that may still live.
  public var longAbsence = Duration.seconds(14 * 60)
  /// The largest answer that is read into memory, in bytes.
  public var maximumResponseBytes = 8 << 20
  /// Whether secrets may go over plain `http` to hosts other than this machine (R8).
  public var allowsPlainHTTP = false

  /// Where the access token is kept.
  public enum AccessTokenStorage: Hashable, Sendable {
    /// Encrypted, beside the refresh token: a launch needs no refresh.
    case stored
    /// In memory only: each launch refreshes; in the opaque model nothing at all is at rest.
    case memory
  }

  /// Whether this process may refresh.
  public enum RefreshPolicy: Hashable, Sendable {
    /// On a 401 and ahead of time.
    case automatic
    /// Never: an expired token is ``AuthError/Code/readOnly``. For extensions that share the
    /// store with an app and may be killed at any moment.
    case readOnly
  }

  /// A configuration; all that is not given here has a default and can be set after.
  public init(
    baseURL: HTTPURL,
    dialect: any AuthAPI,
    tokenModel: TokenModel = .accessRefresh,
    deviceID: DeviceID,
    clientVersion: String,
    userAgent: String
  ) {
    self.baseURL = baseURL
    self.dialect = dialect
    self.tokenModel = tokenModel
    self.deviceID = deviceID
    self.clientVersion = clientVersion
    self.userAgent = userAgent
  }
}
