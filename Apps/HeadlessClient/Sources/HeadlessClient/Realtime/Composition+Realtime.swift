internal import AuthNetworking
internal import GRPC
internal import Realtime
internal import SecureStorage
internal import SessionModels

extension Composition {
  /// A channel to the realtime endpoint.
  ///
  /// - Parameter carriesToken: whether a session is needed, whose token goes along where the
  ///   endpoint may have it.
  /// - Returns: a client that is shut down at the end of the command.
  /// - Throws: ``ClientError``: `usage` where no endpoint is known, `notSignedIn`.
  func realtime(carriesToken: Bool) async throws(ClientError) -> RealtimeConnection {
    guard carriesToken else {
      let url = try knownRealtimeURL()
      return adopt(
        RealtimeConnection(client: try realtimeClient(url, tokens: nil), carriesToken: false)
      )
    }
    let controller = try await controller()
    guard controller.state.isSignedIn else { throw signedOutError(controller.state) }
    let remembered = try rememberedSettings().realtimeURL
    let url = settings.realtimeURL ?? remembered
    let isTrusted = try await isTrusted(url, remembered: remembered)
    if !isTrusted, url != nil {
      console.warning("the token is not sent to a realtime endpoint that sign-in did not name")
    }
    let tokens = isTrusted ? SessionTokens(controller: controller, console: console) : nil
    return adopt(
      RealtimeConnection(client: try realtimeClient(url, tokens: tokens), carriesToken: isTrusted)
    )
  }

  /// What the realtime client that was made is doing, from now on; nothing where there is none.
  func realtimeStates() -> AsyncStream<RealtimeState> {
    madeConnection?.client.states() ?? AsyncStream { $0.finish() }
  }

  /// The realtime endpoint of the options, else the remembered one.
  func knownRealtimeURL() throws(ClientError) -> String? {
    if let url = settings.realtimeURL { return url }
    return try rememberedSettings().realtimeURL
  }

  /// Remembers the realtime endpoint of the options, where none is and it may have the token.
  func rememberRealtimeURL() async throws(ClientError) {
    guard let url = settings.realtimeURL, try rememberedSettings().realtimeURL == nil,
      try await isTrusted(url, remembered: nil)
    else { return }
    try remember { $0.realtimeURL = url }
  }

  private func isTrusted(
    _ url: String?,
    remembered: String?
  ) async throws(ClientError) -> Bool {
    guard let url else { return false }
    let info = try await sessionRecord().authInfo
    guard let backend = try? HTTPURL(parsing: info?.baseURL ?? "") else { return false }
    return RealtimeTrust.isTrusted(
      try GlobalSettings.url(url, option: "realtime-url"),
      remembered: try remembered.map { text throws(ClientError) in
        try GlobalSettings.url(text, option: "realtime-url")
      },
      backend: backend
    )
  }

  private func realtimeClient(
    _ url: String?,
    tokens: SessionTokens?
  ) throws(ClientError) -> RealtimeClient {
    guard let url else {
      throw .usage("no realtime endpoint is known", advice: "Name it with --realtime-url URL")
    }
    let endpoint: GRPCEndpoint
    do {
      endpoint = try GRPCEndpoint(url, caFile: settings.caFile, pins: settings.pins.map(\.text))
    } catch {
      throw .usage("--realtime-url: \(error)")
    }
    var configuration = GRPCChannelConfiguration()
    configuration.userAgent = UserAgent.text
    if let maximumBody = settings.maximumBody { configuration.maximumMessageBytes = maximumBody }
    return RealtimeClient(to: endpoint, tokens: tokens, configuration: configuration)
  }
}
