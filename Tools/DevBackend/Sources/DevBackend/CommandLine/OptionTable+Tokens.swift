extension OptionTable {
  /// How often a password may be tried.
  static let logins: [BackendOption] = [
    BackendOption(
      "--login-rate",
      "NUMBER",
      "wrong passwords a minute for an account, ten times as many from one",
      "network, before 429 with Retry-After; 0 for no limit (10)",
      sets: \.configuration.loginRate,
      to: OptionValue.number(0...6_000)
    ),
    BackendOption(
      "--client-address-header",
      "NAME",
      "the header in which the proxy in front says who asks, such as",
      "X-Real-IP; it must replace what clients send (the connection's address)",
      sets: \.configuration.clientAddressHeader,
      to: { $0 }
    ),
  ]

  /// What happens to sessions.
  static let sessions: [BackendOption] = [
    BackendOption(
      "--reuse-ends",
      "WHAT",
      "what a reused refresh token ends: session, user (all of the user's",
      "sessions), or dialect: SkyConnect session, KSN user (dialect)",
      sets: \.configuration.reuseReach,
      to: OptionValue.choice
    ),
    BackendOption(
      "--session-cache",
      "SECONDS",
      "how long a look-up of an opaque session is trusted, 0 to 60 (60)"
    ) { text, draft throws(OptionMisuse) in
      let lifetime = try OptionValue.seconds(from: 0)(text)
      guard lifetime <= .seconds(60) else {
        throw OptionMisuse(message: "must be whole seconds from 0 to 60, not '\(text)'")
      }
      draft.options.configuration.sessionCacheLifetime = lifetime
    },
  ]

  /// How access tokens are signed, and how long the keys live.
  static let signing: [BackendOption] = [
    BackendOption(
      "--token-signing",
      "ALGORITHM",
      "EdDSA, or HS256 for tests (EdDSA); the public keys are at",
      "/.well-known/jwks.json, where HS256 has none",
      sets: \.configuration.signingAlgorithm,
      to: OptionValue.choice
    ),
    BackendOption(
      "--key-rotation",
      "SECONDS",
      "how long a signing key signs before a new one does; 0 for ever",
      "(2592000)"
    ) { text, draft throws(OptionMisuse) in
      let interval = try OptionValue.seconds(from: 0)(text)
      draft.options.configuration.signingKeyInterval = interval == .zero ? nil : interval
    },
    BackendOption(
      "--key-announcement",
      "SECONDS",
      "how long a new key is published before it signs (600)",
      sets: \.configuration.signingKeyAnnouncement,
      to: OptionValue.seconds(from: 0)
    ),
    BackendOption("--rotate-keys", nil, "announce a new signing key at start") { _, draft in
      draft.options.configuration.rotatesSigningKey = true
    },
  ]
}
