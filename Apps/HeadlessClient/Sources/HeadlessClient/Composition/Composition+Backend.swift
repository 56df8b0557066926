internal import AuthNetworking
internal import SecureStorage
internal import SessionModels

extension Composition {
  /// The backend of the stored session, unless the options name another one.
  ///
  /// - Throws: ``ClientError`` of code `notSignedIn` where none is known.
  func backend() async throws(ClientError) -> Backend {
    let info = try await sessionRecord().authInfo
    // A session says all of it itself, so damaged settings do not stand in its way.
    let remembered = try info == nil ? rememberedSettings() : ProfileSettings()
    let known = try storedURL(info?.baseURL ?? remembered.baseURL)
    guard let baseURL = settings.baseURL ?? known else {
      throw ClientError(.notSignedIn, "Nobody is signed in", advice: "Sign in with login")
    }
    // Another backend's dialect cannot be known from this session; the option says it, or not.
    return Backend(
      baseURL: baseURL,
      api: try api(settings.dialect ?? info?.dialect.rawValue ?? remembered.dialect),
      tokenModel: info?.tokenModel ?? tokenModel(remembered)
    )
  }

  /// The backend to sign in to.
  ///
  /// - Throws: ``ClientError`` of code `usage` where none is named or remembered.
  func backendForSignIn() throws(ClientError) -> Backend {
    let remembered = try rememberedSettings()
    let known = try storedURL(remembered.baseURL)
    guard let baseURL = settings.baseURL ?? known else {
      throw .usage("no backend is known yet", advice: "Name it with --base-url URL")
    }
    return Backend(
      baseURL: baseURL,
      api: try api(settings.dialect ?? remembered.dialect),
      tokenModel: tokenModel(remembered)
    )
  }

  /// The backend that is known, whoever is signed in, with a locked store, too.
  func backendForDiagnosis() async throws(ClientError) -> Backend {
    do {
      return try await backend()
    } catch {
      return try backendForSignIn()
    }
  }

  /// Whether a backend is the one that the session belongs to.
  func isOfSession(_ backend: Backend, _ controller: SessionController) -> Bool {
    guard let text = controller.authInfo?.baseURL, let url = try? HTTPURL(parsing: text) else {
      return true
    }
    return url.origin == backend.baseURL.origin
  }

  private func storedURL(_ text: String?) throws(ClientError) -> HTTPURL? {
    guard let text else { return nil }
    do {
      return try HTTPURL(parsing: text)
    } catch {
      throw ClientError(.damaged, "The remembered backend is no URL", advice: "Name it: --base-url")
    }
  }

  private func api(_ name: String?) throws(ClientError) -> any AuthAPI {
    let name = DialectName(rawValue: name ?? DialectName.skyConnect.rawValue)
    guard let api = Backend.api(named: name) else {
      throw ClientError(.newerFormat, "This build does not speak the dialect \(name)")
    }
    return api
  }

  private func tokenModel(_ remembered: ProfileSettings) -> TokenModel {
    (settings.tokenModel ?? remembered.tokenModel).flatMap(TokenModel.init(rawValue:))
      ?? .accessRefresh
  }

  /// How a controller talks to a backend.
  func configuration(
    for backend: Backend,
    deviceID: DeviceID
  ) -> SessionConfiguration {
    var configuration = SessionConfiguration(
      baseURL: backend.baseURL,
      dialect: backend.api,
      tokenModel: backend.tokenModel,
      deviceID: deviceID,
      clientVersion: ClientVersion.build,
      userAgent: UserAgent.text
    )
    configuration.accessTokenStorage = settings.keepsAccessTokenInMemory ? .memory : .stored
    if let timeout = settings.timeout {
      configuration.requestTimeout = timeout
      configuration.refreshTimeout = timeout
      configuration.refreshLockTimeout = min(configuration.refreshLockTimeout, timeout)
      configuration.logoutTimeout = min(configuration.logoutTimeout, timeout)
    }
    if let maximumBody = settings.maximumBody { configuration.maximumResponseBytes = maximumBody }
    return configuration
  }

  /// The id of this install: the option's, else the one made before the first sign-in.
  func installID() throws(ClientError) -> DeviceID {
    let remembered = try rememberedSettings().deviceID
    if let id = settings.deviceID ?? remembered { return DeviceID(rawValue: id) }
    return DeviceID.random()
  }

  /// Makes the id of this install where there is none, and keeps the one of the option.
  ///
  /// Of several processes that sign in at once for the first time one makes it, and the others
  /// take that one.
  func rememberInstall() async throws(ClientError) {
    if settings.deviceID == nil, try rememberedSettings().deviceID != nil { return }
    try makeProfile()
    let lock: any HeldRefreshLock
    do {
      lock = try await FlockRefreshLock(path: profile.settingsLockFile).acquire(
        timeout: .seconds(10)
      )
    } catch {
      throw ClientError(.storage, "The settings cannot be written: \(error)")
    }
    defer { lock.release() }
    try rereadSettings()
    let id = try installID().rawValue
    try remember { $0.deviceID = id }
  }
}
