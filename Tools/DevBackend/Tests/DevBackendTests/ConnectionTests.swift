import Testing

@testable import DevBackend

/// Connections that say little or nothing.
@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
  @Test func `an address that holds its connections keeps nobody else out`() async throws {
    try await Fixture.run {
      $0.connectionsPerAddress = 3
    } _: { fixture in
      for port in [fixture.ports.http, fixture.ports.realtime] {
        var held = try (0..<3).map { _ in try RawConnection(to: port, from: 2) }
        // One that is let in would be kept for a quarter of a minute, and this test for as long.
        #expect(try await RawConnection(to: port, from: 2).untilClosed() == [])
        if port == fixture.ports.http {
          #expect(try await fixture.client.send("GET", "/healthz").status == 200)
          await fixture.log.waitFor("connection.refused")
        } else {
          let token = try await fixture.registerSky().string("access_token")
          _ = try await fixture.caller(token).send("hi", id: "1")
        }
        held.removeLast()
        let request = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        try await Waiting.until("there is room for one more") {
          let connection = try RawConnection(to: port, from: 2)
          connection.send(request)
          return try await connection.untilClosed() != []
        }
      }
    }
  }

  @Test(arguments: [
    "", "GET /healthz HTT", "GET /healthz HTTP/1.1\r\nHost: x\r\n",
    "POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
  ])
  func `a request that stops coming ends its connection`(sent: String) async throws {
    try await Fixture.run {
      $0.requestTimeout = .seconds(1)
    } _: { fixture in
      let answer = try await Self.answer(to: sent, at: fixture)
      #expect(!answer.contains("200 OK"))
    }
  }

  @Test func `so does one after another that was answered`() async throws {
    try await Fixture.run {
      $0.requestTimeout = .seconds(1)
    } _: { fixture in
      let sent = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\n"
      // A machine may be too busy to serve the first one within a second.
      try await Waiting.until("the first request is answered before the end") {
        try await Self.answer(to: sent, at: fixture).contains("200 OK")
      }
    }
  }

  /// What the server says on a connection until it closes that; nobody else does.
  private static func answer(to sent: String, at fixture: Fixture) async throws -> String {
    let connection = try RawConnection(to: fixture.ports.http)
    connection.send(sent)
    return String(decoding: try await connection.untilClosed(), as: UTF8.self)
  }

  @Test(arguments: ["", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0"])
  func `a client of the realtime port that makes no call is sent away`(sent: String) async throws {
    try await Fixture.run {
      $0.requestTimeout = .seconds(1)
    } _: { fixture in
      let connection = try RawConnection(to: fixture.ports.realtime)
      connection.send(sent)
      _ = try await connection.untilClosed()
    }
  }

  private let start = ContinuousClock.now
  private func time(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

  @Test func `a head must be whole in time, and what is served or idle has time`() {
    var table = ConnectionTable(perAddress: nil, headLimit: .seconds(10))
    table.opened(1, from: "a", at: start)
    table.opened(2, from: "a", at: time(1))
    // The first line of a first request does not put its end off.
    table.headBegan(1, at: time(9))
    #expect(table.overdue(at: time(9)) == [])
    #expect(table.overdue(at: time(10)) == [1])
    table.headEnded(1)
    #expect(table.overdue(at: time(1_000)) == [2])
    table.closed(2)
    #expect(table.overdue(at: time(1_000)) == [])
    table.headBegan(1, at: time(1_000))
    #expect(table.overdue(at: time(1_010)) == [1])
    #expect(table.count == 1)
  }

  @Test func `places are counted for each address, and given back`() {
    var table = ConnectionTable(perAddress: 2, headLimit: .seconds(10))
    table.opened(1, from: "a", at: start)
    table.opened(2, from: "a", at: start)
    #expect(!table.admits("a") && table.admits("b") && table.admits(nil))
    table.headEnded(1)
    #expect(!table.admits("a"))
    table.closed(1)
    table.closed(1)
    #expect(table.admits("a"))
    // A number that is used again is another connection.
    table.opened(2, from: "b", at: start)
    table.opened(3, from: "a", at: start)
    #expect(table.admits("a") && table.admits("b"))
  }
}
