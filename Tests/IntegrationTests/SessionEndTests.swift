import Foundation
import Testing

/// R4, R5 and R14: what ends a session, and what does not.
@Suite struct SessionEndTests {
  enum Trouble: String, CaseIterable, CustomTestStringConvertible {
    case serverError, unavailable, tooManyRequests, requestTimeout, forbidden, badRequest
    case captivePortal, gatewayPage, emptyAnswer, wrongForm, hangUp, halfAnswer, otherDialect

    var testDescription: String { rawValue }

    var reply: Reply {
      switch self {
      case .serverError: .json(500, #"{"error":"boom"}"#)
      case .unavailable: .json(503, headers: ["Retry-After": "1"], "{}")
      case .tooManyRequests: .json(429, headers: ["Retry-After": "1"], "{}")
      case .requestTimeout: .json(408, "{}")
      case .forbidden: .json(403, #"{"error":"blocked by the firewall"}"#)
      case .badRequest: .json(400, #"{"error":"malformed"}"#)
      case .captivePortal: .html(200)
      case .gatewayPage: .html(502)
      case .emptyAnswer: .json(200, "")
      case .wrongForm: .json(200, #"{"access_token":17}"#)
      case .hangUp: .hangUp
      case .halfAnswer: .half(body: Data(#"{"access_token":"aaaaaaaaaaaaaaaaaaaaaaaa"}"#.utf8))
      case .otherDialect: .json(200, #"{"success":true,"data":{"accessToken":"x"}}"#)
      }
    }
  }

  @Test(arguments: Trouble.allCases)
  func `R5: trouble on the way keeps the session`(trouble: Trouble) async throws {
    let rotating = RotatingBackend(lifetime: -30) { request in
      request.path == "/auth/refresh" ? trouble.reply : nil
    }
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    let restored = try await home.run("restore")
    let request = try await home.run("request", "GET", "/x")

    #expect(restored.status == 0, "\(restored.everything)")
    #expect(restored.line?.string("state") == "signedIn")
    #expect(restored.line?.bool("stale") == true)
    #expect(request.status == 75, "\(request.everything)")
    #expect(try await home.run("status").line?.string("state") == "signedIn")
    rotating.setFault(nil)
    #expect(try await home.run("request", "GET", "/x").status == 0)
    #expect(rotating.reuses == 0)
  }

  @Test func `R5: no network keeps the session`() async throws {
    let rotating = RotatingBackend(lifetime: -30)
    let backend = try rotating.listen()
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    backend.stop()

    let restored = try await home.run("restore")

    #expect(restored.status == 0, "\(restored.everything)")
    #expect(restored.line?.bool("stale") == true)
    #expect(try await home.run("whoami").error?.string("code") == "network")
    #expect(try await home.run("status").line?.string("state") == "signedIn")
  }

  @Test(arguments: [
    (401, #"{"error":"revoked"}"#), (400, #"{"error":"invalid_grant"}"#),
    (403, #"{"error":"invalid_grant"}"#),
  ])
  func `R5: a definitive refusal ends the session`(status: Int, body: String) async throws {
    let rotating = RotatingBackend(lifetime: -30) { request in
      request.path == "/auth/refresh" ? .json(status, body) : nil
    }
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    let ended = try await home.run("request", "GET", "/x")
    let after = try await home.run("status")

    #expect(ended.status == 77, "\(ended.everything)")
    #expect(ended.output.isEmpty)
    #expect(ended.error?.string("code") == "sessionEnded")
    #expect(after.line?.string("state") == "signedOut")
    #expect(after.line?.string("reason") == "revoked")
    #expect(try await home.run("restore").status == 77)
    #expect(try home.files(holding: rotating.secrets) == [])
  }

  @Test func `R4: logout succeeds with the server down and leaves no secret`() async throws {
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    #expect(try await home.run("refresh").status == 0)
    backend.stop()

    let logout = try await home.run("logout")

    #expect(logout.status == 0, "\(logout.everything)")
    #expect(logout.line?.string("state") == "signedOut")
    #expect(logout.line?.bool("revoked") == false)
    #expect(try home.files(holding: rotating.secrets) == [])
    #expect(try await home.run("status").line?.string("reason") == "userRequested")
    #expect(try await home.run("logout").status == 0)
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "only root may mount a small disk"))
  func `R4: logout succeeds on a full disk`() async throws {
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    defer { backend.stop() }
    let disk = try SmallDisk()
    let home = try ClientHome(backend: backend.url, in: disk.path)
    #expect(try await home.login().status == 0)
    #expect(try await home.run("store", "set", "kept", "value").status == 0)
    #expect(try await home.run("refresh").status == 0)
    disk.fill()

    let logout = try await home.run("logout")

    #expect(logout.status == 0, "\(logout.everything)")
    #expect(try await home.run("status").line?.string("reason") == "userRequested")
    #expect(try await home.run("store", "get", "kept").line?.string("value") == "value")
    #expect(try home.files(holding: rotating.secrets) == [])
  }

  @Test func `R4: logout in one process wins over a refresh of another`() async throws {
    let rotating = RotatingBackend(lifetime: -30)
    let (arrived, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let backend = try rotating.listen()
    defer {
      backend.stop()
      // The fault holds the backend that holds it.
      rotating.setFault(nil)
    }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    rotating.setFault { request in
      guard request.path == "/auth/refresh" else { return nil }
      let reply = rotating.answer(request)
      arrived.signal()
      release.wait()
      return reply
    }

    let refreshing = try home.start("refresh")
    await wait(for: arrived)
    #expect(try await home.run("logout").status == 0)
    release.signal()
    let outcome = await refreshing.outcome()

    #expect(outcome.status == 77, "\(outcome.everything)")
    let revoked = backend.requests(to: "/auth/logout").compactMap { $0.field("refresh_token") }
    let newest = rotating.secrets.last { $0.hasPrefix("refresh-") }
    #expect(revoked.count == 2)
    #expect(revoked.last == newest)
    let status = try await home.run("status")
    #expect(status.line?.string("state") == "signedOut")
    #expect(status.line?.string("reason") == "userRequested")
    #expect(try home.files(holding: rotating.secrets) == [])
  }

  @Test func `the server is told of a logout`() async throws {
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    #expect(try await home.run("logout").line?.bool("revoked") == true)

    let sent = try #require(backend.requests(to: "/auth/logout").first)
    #expect(sent.field("refresh_token").map { rotating.secrets.contains($0) } == true)
    #expect(sent.field("device_id")?.isEmpty == false)
    #expect(sent.bearer != nil)
  }

  @Test func `R12: a wrong password leaves the older session untouched`() async throws {
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    rotating.setFault { request in
      request.path == "/auth/login" ? .json(401, #"{"error":"wrong password"}"#) : nil
    }

    let refused = try await home.login()

    #expect(refused.status == 77)
    #expect(refused.error?.string("code") == "invalidCredentials")
    #expect(backend.requests(to: "/auth/refresh").isEmpty)
    #expect(try await home.run("request", "GET", "/x").status == 0)
  }

  @Test(arguments: [
    "", "<html>", "[]", "null", "17", #"{"access_token":"a"}"#,
    #"{"access_token":"a","refresh_token":"b"}"#,
    #"{"access_token":null,"refresh_token":"b","user_id":1,"identity_seed":"s"}"#,
    #"{"access_token":"a","user_id":1,"identity_seed":"s"}"#,
  ])
  func `a sign-in answer of another form stores nothing`(body: String) async throws {
    let backend = try ScriptedBackend { _ in .json(body) }
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)

    let outcome = try await home.login()

    #expect(outcome.status == 75, "\(outcome.everything)")
    #expect(outcome.error?.string("code") == "server")
    let status = try await home.run("status")
    #expect(status.status == 0)
    #expect(status.line?.string("state") == "signedOut")
    #expect(status.line?.string("reason") == "never")
  }
}
