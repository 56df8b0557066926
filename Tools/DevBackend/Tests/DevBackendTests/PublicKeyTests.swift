import ProtobufWire
import Testing

@testable import DevBackend

/// Access tokens and published keys, as services that verify tokens themselves see them.
@Suite(.timeLimit(.minutes(5))) struct PublicKeyTests {
  private func keys(_ fixture: Fixture) async throws -> [JSONValue] {
    let answer = try await fixture.client.send("GET", "/.well-known/jwks.json")
    try #require(answer.status == 200)
    guard case .array(let keys)? = answer.json["keys"] else { return [] }
    return keys
  }

  /// What a token's header says.
  private func header(_ token: String) throws -> JSONValue {
    let part = try #require(token.split(separator: ".").first)
    return try #require(Base64URL.decode(part).flatMap(JSONValue.init(parsing:)))
  }

  private func status(_ token: String, _ fixture: Fixture) async throws -> Int {
    try await fixture.client.send("GET", "/auth/me", bearer: token).status
  }

  @Test func `the public key is published as RFC 8037 wants it, and may be kept for a while`()
    async throws
  {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let answer = try await fixture.client.send("GET", "/.well-known/jwks.json")
      #expect(answer.headers["content-type"] == "application/jwk-set+json")
      #expect(answer.headers["cache-control"] == "public, max-age=300")
      let keys = try await keys(fixture)
      #expect(keys.count == 1)
      let key = try #require(keys.first)
      #expect(key.string("kty") == "OKP" && key.string("crv") == "Ed25519")
      #expect(key.string("alg") == "EdDSA" && key.string("use") == "sig")
      #expect(Base64URL.decode(key.string("x"))?.count == 32)
      #expect(key["kid"] == (try header(token))["kid"])
      #expect(key["d"] == nil)
    }
  }

  @Test(arguments: [BackendConfiguration.TokenModel.accessRefresh, .opaque])
  func `secrets are not published, whatever signs`(
    model: BackendConfiguration.TokenModel
  ) async throws {
    try await Fixture.run {
      $0.signingAlgorithm = .hs256
      $0.tokenModel = model
    } _: { fixture in
      let token = try await fixture.registerSky().string("access_token")
      #expect(try await keys(fixture).isEmpty)
      #expect(try await status(token, fixture) == 200)
      if model == .accessRefresh { #expect(try header(token).string("alg") == "HS256") }
    }
  }

  @Test func `a new key is published, then signs, and the old one verifies while its tokens live`()
    async throws
  {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky()
      let old = session.string("access_token")
      await fixture.inspector.maintainSigningKeys(rotating: true)
      let published = try await keys(fixture).map { $0.string("kid") }
      #expect(published.count == 2)
      #expect(published.first == (try header(old)).string("kid"))
      // Announced only: a copy of the published keys may be older.
      var pair = try await fixture.refreshSky(session.string("refresh_token")).json
      #expect(try header(pair.string("access_token")) == header(old))

      fixture.inspector.advanceClock(by: .seconds(599))
      pair = try await fixture.refreshSky(pair.string("refresh_token")).json
      let last = pair.string("access_token")
      #expect(try header(last) == header(old))
      fixture.inspector.advanceClock(by: .seconds(1))
      pair = try await fixture.refreshSky(pair.string("refresh_token")).json
      #expect(try header(pair.string("access_token")).string("kid") == published.last)
      #expect(try await status(last, fixture) == 200)

      fixture.inspector.advanceClock(by: .seconds(898))
      #expect(try await status(last, fixture) == 200)
      fixture.inspector.advanceClock(by: .seconds(62))
      await fixture.inspector.maintainSigningKeys()
      #expect(try await keys(fixture).map { $0.string("kid") } == published.suffix(1))
      #expect(fixture.log.text.contains("key.dropped kid=\(published[0])"))
    }
  }

  @Test func `a key that somebody else has is given up at once, and only a refresh is needed`()
    async throws
  {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky()
      await fixture.inspector.maintainSigningKeys(revokingOld: true)
      #expect(try await status(session.string("access_token"), fixture) == 401)
      let pair = try await fixture.refreshSky(session.string("refresh_token")).json
      #expect(try await status(pair.string("access_token"), fixture) == 200)
      #expect(try await keys(fixture).count == 1)
    }
  }

  @Test func `keys rotate by themselves, and at start where told to`() async throws {
    try await Fixture.run {
      $0.signingKeyInterval = .seconds(3_600)
      $0.rotatesSigningKey = true
    } _: { fixture in
      let first = try await keys(fixture).map { $0.string("kid") }
      #expect(first.count == 2)
      // The second signs from 600 s on, and a third is due 600 s before its hour is over.
      fixture.inspector.advanceClock(by: .seconds(3_599))
      await fixture.inspector.maintainSigningKeys()
      #expect(try await keys(fixture).map { $0.string("kid") } == first.suffix(1))
      fixture.inspector.advanceClock(by: .seconds(1))
      await fixture.inspector.maintainSigningKeys()
      let later = try await keys(fixture).map { $0.string("kid") }
      #expect(later.count == 2)
      #expect(later.first == first.last)
    }
  }

  @Test func `an operator on this machine rotates keys, and nobody else`() async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let host = ["Host": "127.0.0.1:\(fixture.client.port)"]
      func ask(_ method: String, _ path: String, _ bearer: String?) async throws -> TestAnswer {
        try await fixture.client.send(method, path, bearer: bearer, headers: host)
      }
      let admin = fixture.inspector.core.operations.access.adminToken
      for bearer in [nil, token] {
        #expect(try await ask("POST", "/admin/keys", bearer).status == 401)
      }
      #expect(try await ask("POST", "/admin/keys?old=keep", admin).status == 400)
      func states(_ answer: TestAnswer) -> [String] {
        guard case .array(let keys)? = answer.json["keys"] else { return [] }
        return keys.map { $0.string("state") }
      }
      #expect(states(try await ask("GET", "/admin/keys", admin)) == ["signing"])
      let rotated = try await ask("POST", "/admin/keys", admin)
      #expect(states(rotated) == ["signing", "announced"])
      fixture.inspector.advanceClock(by: .seconds(600))
      let later = try await ask("GET", "/admin/keys", admin)
      #expect(states(later) == ["verifying", "signing"])
      #expect(try await status(token, fixture) == 200)
      let given = try await ask("POST", "/admin/keys?old=revoke", admin)
      #expect(states(given) == ["signing"])
      #expect(try await status(token, fixture) == 401)
    }
  }

  @Test func `a key that another instance made is found when its first token comes`() async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let core = fixture.inspector.core
      let now = core.time.now
      // As another instance does it, which shares the database and nothing else.
      let other = SigningKeys(core.configuration)
      _ = try await Task.detached { try other.update(.newKeyOnly, in: core.database, now: now) }
        .value
      guard case .signed(let claims) = core.keys.current.decode(token, at: now) else {
        Issue.record("the token is not good here")
        return
      }
      let foreign = try #require(other.current.encode(claims, at: now))
      #expect(core.keys.current.decode(foreign, at: now) == .unknownKey)
      #expect(try await status(foreign, fixture) == 200)
      #expect(try await fixture.caller(foreign).send("text", id: "1").sequence == 1)
      // And the key that the other dropped is no good here any more.
      #expect(try await status(token, fixture) == 401)
    }
  }

  @Test func `PyJWT verifies a token by the published keys, before and after a rotation`()
    async throws
  {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky(device: "phone")
      let url = "http://127.0.0.1:\(fixture.client.port)/.well-known/jwks.json"
      let old = session.string("access_token")
      await fixture.inspector.maintainSigningKeys(rotating: true)
      fixture.inspector.advanceClock(by: .seconds(600))
      let pair = try await fixture.refreshSky(session.string("refresh_token")).json
      let new = pair.string("access_token")
      #expect(try header(new)["kid"] != header(old)["kid"])
      let claims = try await PyJWT.run(Self.verify, url, old, new)
      guard case .array(let both) = claims else {
        Issue.record("no claims")
        return
      }
      let id = try await fixture.inspector.sessions(of: "ada").first?.id
      for claims in both {
        #expect(claims["sub"] == session["user_id"])
        #expect(claims["sid"] == id.map(JSONValue.string))
        #expect(claims["device_id"] == .string("phone"))
        let (issued, expiry) = (claims["iat"]?.integer ?? 0, claims["exp"]?.integer ?? 0)
        #expect(expiry - issued == 900)
      }
    }
  }

  @Test func `what PyJWT forges by the published key is refused, and by the secret is taken`()
    async throws
  {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let key = try #require(try await keys(fixture).first)
      let forged = try await PyJWT.run(Self.forge, token, key.string("x"))
      guard case .array(let tokens) = forged else {
        Issue.record("no tokens")
        return
      }
      #expect(tokens.count == 4)
      for token in tokens.compactMap(\.text) {
        let answer = try await fixture.client.send("GET", "/auth/me", bearer: token)
        #expect(answer.status == 401)
        #expect(answer.json["code"] == .string("invalid_token"))
      }
    }
    try await Fixture.run {
      $0.signingAlgorithm = .hs256
    } _: { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let seed = try await fixture.inspector.core.database.perform {
        try $0.run("SELECT seed FROM signing_keys")[0].text(0)
      }
      let again = try #require(try await PyJWT.run(Self.signAgain, token, seed).text)
      #expect(again != token)
      #expect(try await status(again, fixture) == 200)
    }
  }

  private static let verify = """
    import json, sys, jwt
    client = jwt.PyJWKClient(sys.argv[1])
    required = {"require": ["sub", "sid", "device_id", "iat", "exp", "jti"]}
    # The server's clock is ahead of this machine's.
    print(json.dumps([
        jwt.decode(t, client.get_signing_key_from_jwt(t).key, algorithms=["EdDSA"],
                   options=required, leeway=3600)
        for t in sys.argv[2:]]))
    """

  /// RFC 8725, section 2.1: the public key as an HMAC secret, no signature at all, another's key.
  private static let forge = """
    import base64, json, sys, warnings, jwt
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    warnings.simplefilter("ignore")
    token, x = sys.argv[1:]
    kid = jwt.get_unverified_header(token)["kid"]
    claims = jwt.decode(token, options={"verify_signature": False})
    raw = base64.urlsafe_b64decode(x + "=")
    print(json.dumps([
        jwt.encode(claims, raw, "HS256", {"kid": kid}),
        jwt.encode(claims, x, "HS256", {"kid": kid}),
        jwt.encode(claims, None, "none", {"kid": kid}),
        jwt.encode(claims, Ed25519PrivateKey.generate(), "EdDSA", {"kid": kid})]))
    """

  private static let signAgain = """
    import base64, json, sys, jwt
    token, seed = sys.argv[1:]
    secret = base64.urlsafe_b64decode(seed + "=")
    claims = jwt.decode(token, secret, algorithms=["HS256"])
    claims["exp"] += 1
    print(json.dumps(jwt.encode(claims, secret, "HS256",
                                {"kid": jwt.get_unverified_header(token)["kid"]})))
    """
}
