/// Registers users, signs them in, and tells who they are.
struct AccountService: Sendable {
  let core: BackendCore

  /// What a registration or login answers with.
  struct SignIn: Sendable {
    let user: UserRecord
    let tokens: IssuedTokens
  }

  private var sessions: SessionService { SessionService(core: core) }

  /// Makes an account, puts it into the group that everyone is in, and signs it in.
  ///
  /// - Throws: ``ServiceFailure/conflict(_:)`` where the address or name is taken.
  func register(
    _ form: RegistrationForm,
    from origin: SessionService.Origin,
    _ log: RequestLog
  ) throws -> SignIn {
    let user = form.user(now: core.time.now)
    guard let passwordHash = core.passwords.hash(form.password) else {
      throw ServiceFailure.unavailable
    }
    let (session, signIn) = try core.database.transaction { connection in
      try UserTable.insert(user, passwordHash: passwordHash, connection)
      try GroupTable.join(GroupService.general, user: user.id, connection)
      let (id, tokens) = try sessions.open(user: user, from: origin, connection)
      return (id, SignIn(user: user, tokens: tokens))
    }
    log("account.registered", ["user": user.id, "sid": session])
    return signIn
  }

  /// Signs a user in.
  ///
  /// - Throws: ``ServiceFailure/invalidCredentials``, after the same work, whether the user is
  ///   unknown or the password wrong; ``ServiceFailure/tooManyAttempts(retryAfter:)`` before any.
  func logIn(
    identifier: String,
    password: String,
    byUsername: Bool,
    from origin: SessionService.Origin,
    _ log: RequestLog
  ) throws -> SignIn {
    let attempt = try begin(identifier, from: origin, log)
    let found = try core.database.transaction { connection in
      try UserTable.login(identifier: identifier, byUsername: byUsername, connection)
    }
    guard core.passwords.verify(password, against: found?.passwordHash),
      let (user, passwordHash) = found
    else {
      log("login.refused", level: .warning)
      throw ServiceFailure.invalidCredentials
    }
    core.logins.succeeded(attempt, at: core.time.now)
    // The cost was changed since: the next wrong password is to take as long as anybody's.
    let newHash = core.passwords.isCurrent(passwordHash) ? nil : core.passwords.hash(password)
    let (session, tokens) = try core.database.transaction { connection in
      if let newHash {
        try UserTable.replace(passwordHash, by: newHash, of: user.id, connection)
      }
      return try sessions.open(user: user, from: origin, connection)
    }
    log("login.accepted", ["user": user.id, "sid": session])
    return SignIn(user: user, tokens: tokens)
  }

  private func begin(
    _ identifier: String,
    from origin: SessionService.Origin,
    _ log: RequestLog
  ) throws -> LoginLimiter.Attempt {
    do {
      return try core.logins.begin(
        identifier: identifier,
        from: origin.address,
        at: core.time.now
      )
    } catch {
      log("login.limited", level: .warning)
      throw error
    }
  }

  /// The user who makes a request.
  func user(_ principal: Principal) throws -> UserRecord {
    let user = try core.database.transaction { try UserTable.user(id: principal.userID, $0) }
    guard let user else { throw ServiceFailure.unauthorized(.invalid) }
    return user
  }

  /// Another user, and the one who looks.
  ///
  /// - Throws: ``ServiceFailure/notFound(_:)`` where there is no such user.
  func user(
    _ id: String,
    seenBy principal: Principal
  ) throws -> (user: UserRecord, viewer: UserRecord) {
    try core.database.transaction { connection in
      guard let viewer = try UserTable.user(id: principal.userID, connection) else {
        throw ServiceFailure.unauthorized(.invalid)
      }
      guard let user = try UserTable.user(id: id, connection) else {
        throw ServiceFailure.notFound("user")
      }
      return (user, viewer)
    }
  }

  /// Notes that the user finished onboarding.
  func completeOnboarding(_ principal: Principal) throws -> UserRecord {
    try core.database.transaction { try UserTable.completeOnboarding(principal.userID, $0) }
    return try user(principal)
  }
}
