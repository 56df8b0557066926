import Foundation
import Testing

/// R8 and R9: where a token goes, and where it is seen.
@Suite struct SecretsTests {
  @Test func `R9: no secret is in any file or line of output`() async throws {
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    var said = ""
    said += try await home.login().everything
    said += try await home.run("status", "--verbose").everything
    said += try await home.run("refresh", "--verbose").everything
    said += try await home.run("token", "--verbose").everything
    said += try await home.run("request", "GET", "/x", "--verbose").everything
    said += try await home.run("doctor", "--verbose").everything
    rotating.revokeSession()
    said += try await home.run("request", "GET", "/x", "--verbose").everything

    for secret in rotating.secrets + [ClientHome.password] {
      #expect(!said.contains(secret))
    }
    #expect(try home.files(holding: rotating.secrets + [ClientHome.password]) == [])
  }

  @Test func `R9: a token that a server quotes back is redacted unless revealed`() async throws {
    let rotating = RotatingBackend()
    rotating.setFault { request in
      guard request.path == "/echo" else { return nil }
      return .json(500, #"{"error":"bad token \#(request.bearer ?? "")"}"#)
    }
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    let hidden = try await home.run("request", "GET", "/echo")
    let token = try await home.run("token", "--reveal").line?.string("token") ?? ""

    #expect(rotating.secrets.contains(token))
    #expect(hidden.status == 75)
    #expect(!hidden.everything.contains(token))
  }

  @Test func `token shows at most six characters unless revealed`() async throws {
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    let shown = try #require(try await home.run("token").line?.string("token"))
    let revealed = try #require(try await home.run("token", "--reveal").line?.string("token"))

    #expect(shown != revealed)
    #expect(shown.hasSuffix(String(revealed.suffix(6))))
    #expect(!shown.contains(String(revealed.suffix(7))))
  }

  @Test func `R8: a redirect to another origin gets no token`() async throws {
    let elsewhere = try ScriptedBackend { _ in .json(#"{"id":"elsewhere"}"#) }
    defer { elsewhere.stop() }
    let target = elsewhere.url
    let rotating = RotatingBackend { request in
      request.path == "/away" ? .redirect(302, to: "\(target)/landing") : nil
    }
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    let followed = try await home.run("request", "GET", "/away")
    let posted = try await home.run("request", "POST", "/away", "--data", "{}")

    #expect(followed.status == 0, "\(followed.everything)")
    #expect(posted.line?.int("status") == 302)
    #expect(elsewhere.requests.count == 1)
    #expect(elsewhere.requests.allSatisfy { $0.headers["authorization"] == nil })
  }

  @Test func `R8: an absolute URL of another origin gets no token and refreshes nothing`()
    async throws
  {
    let elsewhere = try ScriptedBackend { _ in .json(401, "{}") }
    defer { elsewhere.stop() }
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    let outcome = try await home.run("request", "GET", "\(elsewhere.url)/x")

    #expect(outcome.status == 69, "\(outcome.everything)")
    #expect(elsewhere.requests.map(\.bearer) == [nil])
    #expect(backend.requests(to: "/auth/refresh").isEmpty)
  }

  @Test(arguments: [
    ("/x", "/base/v1/x"), ("x", "/base/v1/x"), ("//evil.example/x", "/base/v1/evil.example/x"),
    ("a?x=1", "/base/v1/a?x=1"), ("/a%2Fb", "/base/v1/a%2Fb"), ("/a b", "/base/v1/a%20b"),
  ])
  func `R8: a path is joined to the base and stays on its host`(
    path: String,
    target: String
  ) async throws {
    let rotating = RotatingBackend()
    let backend = try ScriptedBackend { request in
      var inner = request
      inner.target = request.target.replacingOccurrences(of: "/base/v1", with: "")
      return request.path.hasSuffix("/auth/login") ? rotating.answer(inner) : .json("{}")
    }
    defer { backend.stop() }
    let home = try ClientHome(backend: "\(backend.url)/base/v1/")
    #expect(try await home.login().status == 0)

    let outcome = try await home.run("request", "GET", path)

    #expect(outcome.status == 0, "\(outcome.everything)")
    #expect(backend.requests.last?.target == target)
    #expect(backend.requests.last?.bearer != nil)
  }

  @Test func `R8: a refresh is never sent along a redirect`() async throws {
    let elsewhere = try ScriptedBackend { _ in .json("{}") }
    defer { elsewhere.stop() }
    let target = elsewhere.url
    let rotating = RotatingBackend { request in
      request.path == "/auth/refresh" ? .redirect(307, to: "\(target)/auth/refresh") : nil
    }
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    #expect(try await home.run("refresh").status == 75)

    #expect(elsewhere.requests.isEmpty)
    #expect(try await home.run("status").line?.string("state") == "signedIn")
  }

  @Test(arguments: ["<&- >&-", ">&-", "<&- >&- 2>&-"])
  func `closed standard streams take no file's place`(redirections: String) async throws {
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    let closed = try RunningProcess(
      URL(filePath: "/bin/sh"),
      [
        "-c", "\"$0\" --home \"$1\" --json --verbose status \(redirections)",
        Executable.headlessClient.url.path, home.path,
      ],
      environment: [:],
      input: ""
    )

    #expect(await closed.outcome().status == 74)
    #expect(try home.files(holding: ["signedIn"]) == [])
    #expect(try await home.run("status").line?.string("state") == "signedIn")
  }

  @Test func `files are for their owner only, whatever the umask`() async throws {
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    let manager = FileManager.default
    let walker = try #require(manager.enumerator(atPath: home.path))
    var seen = 0
    for case let file as String in walker {
      let attributes = try manager.attributesOfItem(atPath: "\(home.path)/\(file)")
      let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
      #expect(mode & 0o077 == 0, "\(file) has mode \(String(mode, radix: 8))")
      seen += 1
    }
    #expect(seen > 0)
  }
}
