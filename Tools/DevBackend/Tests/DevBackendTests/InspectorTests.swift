import Foundation
import Testing

@testable import DevBackend

/// The page that shows sessions: who is let in, and what is told.
@Suite struct InspectorTests {
  /// A browser on this machine that has brought the token.
  private func cookie(_ fixture: Fixture) async throws -> [String: String] {
    let host = "127.0.0.1:\(fixture.client.port)"
    let answer = try await fixture.client.send(
      "POST",
      "/inspector/session",
      .of(["token": .string(fixture.inspector.inspectorToken)]),
      headers: ["Host": host, "Origin": "http://\(host)"]
    )
    #expect(answer.status == 204)
    let cookie = try #require(answer.headers["set-cookie"])
    #expect(cookie.hasPrefix("inspector_\(fixture.client.port)="))
    #expect(cookie.hasSuffix("; HttpOnly; SameSite=Strict; Path=/inspector"))
    return ["Host": host, "Cookie": String(cookie.prefix { $0 != ";" })]
  }

  @Test func `it shows each token family, and why it ended`() async throws {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky()
      let token = session.string("refresh_token")
      _ = try await fixture.refreshSky(token, attempt: "rotation")
      _ = try await fixture.refreshSky(token, attempt: "concurrent")
      _ = try await fixture.refreshSky(token, attempt: "rotation")
      fixture.inspector.advanceClock(by: .seconds(60))
      _ = try await fixture.refreshSky(token, attempt: "theft")
      let headers = try await cookie(fixture)
      let answer = try await fixture.client.send("GET", "/inspector/state", headers: headers)
      let family = try #require(answer.json["users"]?.first?["sessions"]?.first)
      let kinds = family["events"]?.elements.map { $0.string("kind") }
      #expect(
        kinds == ["registered", "rotated", "grace", "resent", "ended", "reuse_detected"]
      )
      #expect(family.string("reason") == "reuse_detected")
      #expect(family["rotations"] == .integer(1) && family["grace"] == .integer(1))
      #expect(family["resends"] == .integer(1))
      #expect(family["events"]?.elements.last?.string("request") == "theft")
      for secret in [token, session.string("access_token"), session.string("identity_seed")] {
        #expect(!answer.text.contains(secret.dropFirst(4)))
      }
    }
  }

  @Test(arguments: [
    ("theft-of", ["ada"]), ("ROTATION", ["ada", "bob"]), ("bob@", ["bob"]), ("phone", ["ada"]),
    ("tab_et", ["bob"]), ("device_mismatch", ["ada"]), ("nobody", []), ("%", []), ("'", []),
  ])
  func `it finds by request, user, device and event`(text: String, names: [String]) async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky("ada").string("refresh_token")
      let other = try await fixture.registerSky("bob", device: "tab_et").string("refresh_token")
      let pair = try await fixture.refreshSky(token, attempt: "rotation-1").json
      _ = try await fixture.refreshSky(other, device: "tab_et", attempt: "rotation-2")
      _ = try await fixture.refreshSky(
        pair.string("refresh_token"),
        device: "x",
        attempt: "theft-of-1"
      )
      let query = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      let answer = try await fixture.client.send(
        "GET",
        "/inspector/state?q=\(query)",
        headers: try await cookie(fixture)
      )
      let found = answer.json["users"]?.elements.map { $0.string("username") } ?? []
      #expect(found.sorted() == names)
    }
  }

  @Test func `a request id is found after a restart, when the journal is gone`() async throws {
    let directory = try Fixture.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("db").path
    try await Fixture.run {
      $0.database = path
    } _: { fixture in
      let token = try await fixture.registerSky().string("refresh_token")
      _ = try await fixture.refreshSky(token, attempt: "before-the-restart")
    }
    try await Fixture.run {
      $0.database = path
    } _: { fixture in
      let answer = try await fixture.client.send(
        "GET",
        "/inspector/state?q=before-the-restart",
        headers: try await cookie(fixture)
      )
      #expect(answer.json["users"]?.elements.count == 1)
    }
  }

  @Test(arguments: ["/inspector/state", "/inspector/events"])
  func `nothing is told without the cookie`(path: String) async throws {
    try await Fixture.run { fixture in
      let host = ["Host": "127.0.0.1:\(fixture.client.port)"]
      var headers = host
      headers["Cookie"] = "inspector_\(fixture.client.port)=0123456789abcdef0123456789abcdef"
      headers["Authorization"] = "Bearer \(fixture.inspector.inspectorToken)"
      #expect(try await fixture.client.send("GET", path, headers: headers).status == 401)
      for token in ["", "wrong", fixture.inspector.adminToken] {
        let answer = try await fixture.client.send(
          "POST",
          "/inspector/session",
          .of(["token": .string(token)]),
          headers: host
        )
        #expect(answer.status == (token.isEmpty ? 400 : 401))
      }
    }
  }

  @Test(arguments: [
    (["Host": "rebound.example"], 421), (["Host": "127.0.0.1"], 421),
    (["Origin": "http://evil.example"], 403), (["X-Forwarded-For": "1.2.3.4"], 403),
  ])
  func `who does not ask as this machine is not let in`(
    changes: [String: String],
    status: Int
  ) async throws {
    try await Fixture.run { fixture in
      let headers = try await cookie(fixture).merging(changes) { $1 }
      for path in ["/inspector", "/inspector/state", "/inspector/app.js"] {
        #expect(try await fixture.client.send("GET", path, headers: headers).status == status)
      }
    }
  }

  @Test func `the page allows nothing from elsewhere, and holds no secret`() async throws {
    try await Fixture.run { fixture in
      for path in ["/inspector", "/inspector/app.js", "/inspector/app.css"] {
        let host = ["Host": "localhost:\(fixture.client.port)"]
        let answer = try await fixture.client.send("GET", path, headers: host)
        #expect(answer.status == 200)
        let policy = try #require(answer.headers["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
        #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
        #expect(answer.headers["x-content-type-options"] == "nosniff")
        #expect(!answer.text.contains("http:") && !answer.text.contains("https:"))
        #expect(!answer.text.contains(fixture.inspector.inspectorToken))
      }
    }
  }

  @Test func `what happens is sent as it happens, and the rest after a gap`() async throws {
    try await Fixture.run { fixture in
      let journal = fixture.inspector.core.operations.journal
      let feed = try #require(JournalFeed(journal, after: 0))
      _ = feed.next()
      let token = try await fixture.registerSky().string("refresh_token")
      let first = String(decoding: try #require(feed.next()), as: UTF8.self)
      #expect(first.hasPrefix("id: 1\ndata: {") && first.hasSuffix("}\n\n"))
      _ = try await fixture.refreshSky(token, attempt: "second")
      let second = String(decoding: try #require(feed.next()), as: UTF8.self)
      #expect(second.hasPrefix("id: 2\n") && second.contains(#""request":"second""#))
      feed.close()
      let late = try #require(JournalFeed(journal, after: 1))
      _ = late.next()
      #expect(String(decoding: try #require(late.next()), as: UTF8.self) == second)
      // A browser that knows numbers of before a restart hears what comes from now on.
      let stale = try #require(JournalFeed(journal, after: 99))
      _ = stale.next()
      _ = try await fixture.registerSky("bob")
      #expect(String(decoding: try #require(stale.next()), as: UTF8.self).hasPrefix("id: 3\n"))
      for feed in [late, stale] { feed.close() }
    }
  }

  @Test func `a browser that watches does not keep the backend from stopping`() async throws {
    try await Fixture.run { fixture in
      let headers = try await cookie(fixture)
      async let watched = fixture.client.send("GET", "/inspector/events", headers: headers)
      // Its request is logged before its first bytes leave.
      await fixture.log.waitFor("route=/inspector/events status=200")
      await fixture.backend.stop(within: .seconds(600))
      let answer = try await watched
      #expect(answer.headers["content-type"] == "text/event-stream; charset=utf-8")
      #expect(fixture.log.text.contains("stopped clean=true"))
    }
  }

  @Test func `only so many watch at once, and old events are forgotten`() {
    let journal = SessionJournal()
    let feeds = (0..<SessionJournal.maximumReaders).compactMap { _ in
      JournalFeed(journal, after: 0)
    }
    #expect(feeds.count == SessionJournal.maximumReaders)
    #expect(JournalFeed(journal, after: 0) == nil)
    feeds[0].close()
    #expect(JournalFeed(journal, after: 0) != nil)
    let count = SessionJournal.capacity + 5_000
    for _ in 0..<count {
      journal.note(
        BackendLogLine(
          level: .info,
          event: "refresh.rotated",
          requestID: nil,
          time: 0,
          fields: [.init(name: "sid", value: "s")]
        )
      )
    }
    #expect(journal.newest == count)
    let kept = journal.events()
    #expect((SessionJournal.capacity...SessionJournal.capacity + 1_000).contains(kept.count))
    #expect(kept.last?.number == count)
    #expect(journal.events(after: count - 1).count == 1 && journal.events(after: count).isEmpty)
  }

  @Test func `a token file is made for its owner alone, and taken again`() async throws {
    let directory = try Fixture.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("admin.token").path
    let first = try OperatorAccess(tokenFile: path)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let second = try OperatorAccess(tokenFile: path)
    #expect(first.adminToken == second.adminToken && first.adminToken.count == 32)
    #expect(first.inspectorToken == second.inspectorToken)
    #expect(first.inspectorToken != first.adminToken)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let open = #expect(throws: BackendError.self) { try OperatorAccess(tokenFile: path) }
    #expect(open?.message.contains("chmod 600") == true)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try Data("short\n".utf8).write(to: URL(fileURLWithPath: path))
    let short = #expect(throws: BackendError.self) { try OperatorAccess(tokenFile: path) }
    #expect(short?.message.contains("holds no token of 16 characters") == true)
  }

  private static let browser = "/usr/bin/chromium"

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: browser)))
  func `a browser shows it as it should be`() async throws {
    // Pictures of a run that went wrong stay there to be looked at.
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("dev-backend-inspector-pictures")
    var configuration = BackendConfiguration.testing()
    configuration.refreshGrace = .seconds(3_600)
    let backend = DevBackend(configuration)
    let ports = try await backend.start()
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Browser/inspector.py").path
    let outcome = try await Executable(
      script,
      "http://127.0.0.1:\(ports.http)",
      try backend.inspector().inspectorToken,
      folder.path,
      Self.browser,
      path: URL(fileURLWithPath: "/usr/bin/python3")
    ).outcome()
    await backend.stop()
    #expect(outcome.status == 0, "\(outcome.errors)")
    for width in [360, 1_280] {
      for scheme in ["light", "dark"] {
        let picture = folder.appendingPathComponent("inspector-\(width)-\(scheme).png")
        #expect(try Data(contentsOf: picture).starts(with: [0x89, 0x50, 0x4E, 0x47]))
      }
    }
  }
}

extension JSONValue {
  /// The elements of an array; none where it is no array.
  fileprivate var elements: [JSONValue] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  fileprivate var first: JSONValue? { elements.first }
}
