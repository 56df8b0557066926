import SessionModels
import Synchronization
import Testing

@testable import AuthNetworking

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An easy handle serves one request after the other: nothing of one gets into the next.
@Suite(.timeLimit(.minutes(5))) struct CurlHandleTests {
  /// One kind of request, each with something that libcurl has to be told.
  private struct Kind: Sendable {
    let name: String
    var method = HTTPMethod.get
    var change: @Sendable (inout HTTPRequest) -> Void = { _ in }
  }

  private static func kinds(_ folder: TemporaryFolder) throws -> [Kind] {
    let file = try RequestBody.file(folder.write(pattern(100_000), "upload"))
    let stored = DownloadTarget(folder.file("download"))
    return [
      Kind(name: "plain"),
      Kind(name: "fields") {
        $0.headers = HTTPHeaders([
          ("User-Agent", "agent/1"), ("Accept", "a/b"), ("X-Own", "1"), ("X-Empty", ""),
        ])
      },
      Kind(name: "bearer") { $0.bearer = Secret("bearer-of-one-kind") },
      Kind(name: "own-authorization") { $0.headers["Authorization"] = "Basic b3duLW9uZQ==" },
      Kind(name: "head", method: .head),
      Kind(name: "delete", method: .delete),
      Kind(name: "delete-with-body", method: .delete) { $0.body = [1, 2, 3, 4] },
      Kind(name: "unrepeatable", method: HTTPMethod(rawValue: "PURGE")),
      Kind(name: "keyed", method: HTTPMethod(rawValue: "PURGE")) {
        $0.headers[IdempotencyKey.headerName] = "\"key\""
      },
      Kind(name: "post", method: .post) { $0.body = Array("password=1".utf8) },
      Kind(name: "empty-post", method: .post),
      Kind(name: "put", method: .put) { $0.body = [1, 2] },
      Kind(name: "put-with-progress", method: .put) {
        $0.body = [1, 2, 3]
        $0.onProgress = { _ in }
      },
      Kind(name: "file", method: .put) { $0.content = file },
      Kind(name: "stream", method: .put) {
        $0.content = .stream(length: 6) { Pieces(pieces: [[1, 2], [3, 4, 5, 6]]) }
      },
      Kind(name: "new-connection") { $0.needsNewConnection = true },
      Kind(name: "too-large") { $0.maximumResponseBytes = 1 },
      Kind(name: "download") { $0.destination = stored },
      Kind(name: "refused"),
      Kind(name: "broken"),
    ]
  }

  private static let script: @Sendable (TestConnection) throws -> Void = { connection in
    while let request = connection.request() {
      let path = request.line.split(separator: " ")[1]
      let fields = ["X-Path: \(path)"]
      switch path {
      case "/broken":
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        return
      case "/refused":
        try connection.respond(401, fields + ["WWW-Authenticate: Basic realm=\"r\""])
      default:
        // In one piece: a second one would wait for the first one's acknowledgement.
        let body = request.line.hasPrefix("HEAD") ? "" : "body of \(path)"
        let length = "Content-Length: \(body.utf8.count)"
        let head = ["HTTP/1.1 200 OK"] + fields + [length, "", body]
        try connection.send(head.joined(separator: "\r\n"))
      }
    }
  }

  /// What the server and the caller see of a request.
  private struct Outcome: Equatable {
    var lines: [String] = []
    var body: [UInt8] = []
    var response: HTTPResponse?
    var code: TransportError.Code?
  }

  private static func outcome(
    of kind: Kind,
    _ server: TestServer,
    _ transport: CurlTransport
  ) async throws -> Outcome {
    let before = server.requests.count
    var outcome = Outcome()
    do {
      outcome.response = try await server.fetch(
        kind.method,
        "/\(kind.name)",
        transport: transport,
        kind.change
      )
    } catch let error as TransportError { outcome.code = error.code }
    let seen = server.requests.dropFirst(before)
    #expect(seen.count == 1, "\(kind.name)")
    outcome.lines = seen.first?.lines ?? []
    outcome.body = seen.first?.body ?? []
    return outcome
  }

  /// An order in which each kind comes once right after each, itself included.
  private static func walk(_ count: Int) -> [Int] {
    (0..<count).flatMap { first in [first] + (first + 1..<count).flatMap { [first, $0] } } + [0]
  }

  @Test func `each kind of request is what it is after each other kind`() async throws {
    try await withTemporaryFolder { folder in
      let kinds = try CurlHandleTests.kinds(folder)
      let walk = CurlHandleTests.walk(kinds.count)
      let pairs = Set(zip(walk, walk.dropFirst()).map { [$0, $1] })
      #expect(pairs.count == kinds.count * kinds.count)
      try await withServer(script: CurlHandleTests.script) { server in
        var alone: [Outcome] = []
        for kind in kinds {
          let transport = try CurlTransport(.unhurried())
          alone.append(try await CurlHandleTests.outcome(of: kind, server, transport))
        }
        // One after the other, so that all go through one handle.
        let transport = try CurlTransport(.unhurried())
        var previous = "nothing"
        for index in walk {
          let kind = kinds[index]
          let outcome = try await CurlHandleTests.outcome(of: kind, server, transport)
          #expect(outcome == alone[index], "\(kind.name) after \(previous)")
          previous = kind.name
        }
        #expect(folder.read("download") == Array("body of /download".utf8))
      }
    }
  }

  @Test func `a time limit is each request's own`() async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      while let request = connection.request() {
        if request.line.contains("/late") {
          connection.waitForClose()
          return
        }
        try connection.respond()
      }
    }
    try await withServer(script: script) { server in
      let transport = try CurlTransport(.unhurried())
      for _ in 0..<2 {
        #expect(try await server.fetch(transport: transport).status == 200)
        let error = await #expect(throws: TransportError.self) {
          try await server.fetch(.get, "/late", transport: transport) {
            $0.timeout = .milliseconds(20)
          }
        }
        #expect(error?.code == .timeout)
      }
    }
  }

  @Test func `a pin that counts again, or no more, does so from the next request on`() async throws
  {
    let authority = try TestIdentity.authority()
    let identity = try TestIdentity.server(authority)
    let wrong = try #require(authority.pin)
    let end = Date(timeIntervalSince1970: 1_800_000_000)
    let now = Mutex(end)
    try await withCAFile(authority) { file in
      try await withServer(identity: identity, script: { try $0.respondToAll() }) { server in
        try await withServer(script: { try $0.respondToAll() }) { plain in
          var configuration = CurlConfiguration.unhurried(caFile: file)
          configuration.pinning = PinPolicy([.init(wrong, expires: end)])
          configuration.now = { now.withLock { $0 } }
          let transport = try CurlTransport(configuration)
          for isPinned in [false, false, true, false, true, true, false] {
            now.withLock { $0 = end.addingTimeInterval(isPinned ? -1 : 1) }
            let before = server.requests.count
            let code = try await server.failure(
              scheme: "https",
              host: "localhost",
              transport: transport
            )
            #expect(code == (isPinned ? .pinMismatch : nil))
            #expect(server.requests.count - before == (isPinned ? 0 : 1))
            // A handle that has served TLS serves plain http as well, and the other way round.
            #expect(
              try await plain.failure(transport: transport) == (isPinned ? .pinMismatch : nil)
            )
          }
        }
      }
    }
  }

  @Test func `a handle is told nothing twice that it knows, and forgets all of what is special`()
    throws
  {
    let url = try HTTPURL(parsing: "http://127.0.0.1/a")
    let near = try HTTPURL(parsing: "http://localhost:81/b?c")
    let far = try HTTPURL(parsing: "http://192.0.2.1/a")
    let secure = try HTTPURL(parsing: "https://127.0.0.1/a")
    let get = HTTPRequest(method: .get, url: url)
    func settings(
      isSecondTry: Bool = false,
      pinnedKeys: String? = nil,
      _ change: (inout HTTPRequest) -> Void = { _ in }
    ) -> CurlSettings? {
      var request = get
      change(&request)
      return CurlSettings(request, isSecondTry: isSecondTry, pinnedKeys: pinnedKeys)
    }
    let plain = try #require(settings())
    let like = settings {
      $0.url = near
      $0.headers = HTTPHeaders([("Accept", "x")])
      $0.bearer = Secret("token")
      $0.timeout = .seconds(1)
    }
    #expect(like == plain)
    let unlike = [
      settings { $0.method = .head }, settings { $0.method = .delete },
      settings { $0.maximumResponseBytes = 1 }, settings(pinnedKeys: "sha256//"),
      settings { $0.url = secure },
      settings { $0.url = far },
    ]
    for settings in unlike { #expect(settings != nil && settings != plain) }
    let special = [
      settings(isSecondTry: true), settings { $0.needsNewConnection = true },
      settings { $0.body = [] }, settings { $0.method = .post }, settings { $0.method = .put },
      settings { $0.method = HTTPMethod(rawValue: "PURGE") },
    ]
    for settings in special { #expect(settings == nil) }

    let handle = try #require(CurlHandle())
    #expect(!handle.begin(plain))
    handle.end(isAnswered: true)
    #expect(handle.begin(plain))
    handle.end(isAnswered: false)
    #expect(!handle.begin(plain))
    handle.end(isAnswered: true)
    #expect(!handle.begin(nil))
    handle.end(isAnswered: true)
    #expect(!handle.begin(plain))
    handle.end(isAnswered: true)
    for settings in unlike { #expect(!handle.begin(settings)) }
  }
}
