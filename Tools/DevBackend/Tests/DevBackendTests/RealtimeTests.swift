import GRPC
import ProtobufWire
import Testing

@testable import DevBackend

/// Subscribe and Send of realtime.proto.
@Suite(.timeLimit(.minutes(5)), .onEachDatabase) struct RealtimeTests {
  @Test func `a stream gives the history after a sequence number, then the news`() async throws {
    try await Fixture.run { fixture in
      let ada = try fixture.caller(try await fixture.registerSky("ada").string("access_token"))
      for number in 1...3 { _ = try await ada.send("text \(number)", id: "\(number)") }
      let stream = try await ada.subscribe(after: 1)
      #expect(try await stream.nextSequence() == 2)
      #expect(try await stream.nextSequence() == 3)
      let sent = try await ada.send("news", id: "4")
      #expect(try await stream.nextEvent() == .message(sent))
      #expect(sent.sequence == 4)
    }
  }

  @Test func `no message is missed or repeated while others send`() async throws {
    try await Fixture.run { fixture in
      let ada = try fixture.caller(try await fixture.registerSky("ada").string("access_token"))
      let bob = try fixture.caller(try await fixture.registerSky("bob").string("access_token"))
      // More than are read from the database at a time.
      let count = 250
      try await withThrowingTaskGroup(of: Void.self) { group in
        for start in 0..<5 {
          group.addTask {
            for number in stride(from: start, to: count, by: 5) {
              _ = try await bob.send("text", id: "\(number)")
            }
          }
        }
        for _ in 0..<2 {
          group.addTask {
            let stream = try await ada.subscribe()
            for expected in 1...UInt64(count) {
              #expect(try await stream.nextSequence() == expected)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test(arguments: [("fine", nil), (String(repeating: "a", count: 129), "too_long")])
  func `a request id that is not taken is replaced, and the trailers and the log say so`(
    sent: String,
    reason: String?
  ) async throws {
    try await Fixture.run { fixture in
      let caller = try fixture.caller(try await fixture.registerSky().string("access_token"))
      let call = try await caller.subscribe(requestID: sent)
      #expect(await call.ending() == .notFound)
      #expect(call.trailers["x-request-id-refused"] == reason)
      let id = reason == nil ? sent : try #require(call.trailers["x-request-id"])
      let events = fixture.log.events(of: id)
      #expect(events == (reason == nil ? ["rpc"] : ["request.id_refused", "rpc"]))
      #expect(reason == nil || !fixture.log.text.contains(sent))
    }
  }

  @Test func `a message is sent once for each client message id, over either port`() async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky("ada").string("access_token")
      let ada = try fixture.caller(token)
      let first = try await ada.send("text", id: "1")
      #expect(try await ada.send("other", id: "1") == first)
      let body = JSONValue.of(["client_message_id": .string("1"), "body": .string("third")])
      let http = try await fixture.client.send(
        "POST",
        "/groups/general/messages",
        body,
        bearer: token
      )
      #expect(http.json["id"] == .string(first.id))
      #expect(http.json["sequence"] == .integer(Int64(first.sequence)))
    }
  }

  @Test(arguments: [nil, "nonsense", "e30.e30.e30"] as [String?])
  func `without a good token no call is served`(token: String?) async throws {
    try await Fixture.run { fixture in
      let caller = try fixture.caller(token)
      #expect(await statusCode { _ = try await caller.send("text", id: "1") } == .unauthenticated)
      #expect(try await caller.subscribe().ending() == .unauthenticated)
      #expect(try await caller.connect().ending() == .unauthenticated)
    }
  }

  @Test func `no such group and somebody else's are not found`() async throws {
    try await Fixture.run {
      $0.seedsDemoData = true
    } _: { fixture in
      let session = try await fixture.registerSky("stranger")
      let caller = try fixture.caller(session.string("access_token"))
      for group in ["homework", "nowhere", ""] {
        #expect(try await caller.subscribe(group).ending() == .notFound)
        let sent = await statusCode { _ = try await caller.send("text", id: "1", to: group) }
        #expect(sent == .notFound)
      }
    }
  }

  @Test func `what is no request of the contract is an invalid argument`() async throws {
    try await Fixture.run { fixture in
      let caller = try fixture.caller(try await fixture.registerSky().string("access_token"))
      #expect(await statusCode { _ = try await caller.send("", id: "1") } == .invalidArgument)
      #expect(await statusCode { _ = try await caller.send("text", id: "") } == .invalidArgument)
      let garbage = await statusCode { _ = try await caller.unary("Send", [0xFF, 0xFF]) }
      #expect(garbage == .invalidArgument)
    }
  }

  @Test func `a revoked session is told so, and its streams end; others go on`() async throws {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky("ada")
      let ada = try fixture.caller(session.string("access_token"))
      let bob = try fixture.caller(try await fixture.registerSky("bob").string("access_token"))
      let adas = try await ada.subscribe()
      let bobs = try await bob.subscribe()
      _ = try await bob.send("text", id: "1")
      #expect(try await adas.nextSequence() == 1)
      #expect(try await bobs.nextSequence() == 1)

      let id = try #require(try await fixture.inspector.sessions(of: "ada").first?.id)
      try await fixture.inspector.revokeSession(id)
      let reason = SessionRevoked(reason: "session_revoked")
      #expect(try await adas.nextEvent() == .sessionRevoked(reason))
      #expect(await adas.ending() == .unauthenticated)
      #expect(try await ada.subscribe().ending() == .unauthenticated)
      _ = try await bob.send("more", id: "2")
      #expect(try await bobs.nextSequence() == 2)
    }
  }

  @Test func `a reuse of a refresh token ends the streams, and says why`() async throws {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky("ada")
      let stream = try await fixture.caller(session.string("access_token")).subscribe()
      await fixture.log.waitFor("stream.subscribed")
      _ = try await fixture.refreshSky(session.string("refresh_token"), attempt: "one")
      fixture.inspector.advanceClock(by: .seconds(10))
      _ = try await fixture.refreshSky(session.string("refresh_token"), attempt: "two")
      #expect(
        try await stream.nextEvent() == .sessionRevoked(SessionRevoked(reason: "reuse_detected"))
      )
      #expect(await stream.ending() == .unauthenticated)
    }
  }

  @Test(arguments: [true, false])
  func `a stream ends when its access token does, without a revocation`(
    byClock: Bool
  ) async throws {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky()
      let stream = try await fixture.caller(session.string("access_token")).subscribe()
      await fixture.log.waitFor("stream.subscribed")
      if byClock {
        fixture.inspector.advanceClock(by: .seconds(900))
      } else {
        fixture.inspector.expireAccessTokens()
      }
      // The status is the next thing that comes, no event before it.
      #expect(await statusCode { _ = try await stream.nextEvent() } == .unauthenticated)
      // The session goes on: a refresh and a new stream resume it.
      let pair = try await fixture.refreshSky(session.string("refresh_token")).json
      let again = try fixture.caller(pair.string("access_token"))
      _ = try await again.send("text", id: "1")
      #expect(try await again.subscribe().nextSequence() == 1)
    }
  }

  @Test func `a client that does not read is cut off when its session is revoked`() async throws {
    try await Fixture.run { fixture in
      let slow = try fixture.caller(try await fixture.registerSky("slow").string("access_token"))
      let text = String(repeating: "x", count: GroupService.maximumBodySize)
      // More than flow control lets through unread.
      for number in 1...150 { _ = try await slow.send(text, id: "\(number)") }
      let stream = try await slow.subscribe()
      await fixture.log.waitFor("stream.subscribed")
      let id = try #require(try await fixture.inspector.sessions(of: "slow").first?.id)
      try await fixture.inspector.revokeSession(id)
      await fixture.log.waitFor("method=Subscribe status=UNAUTHENTICATED")
      #expect(fixture.inspector.openStreamCount == 0)
      stream.cancel()
    }
  }

  @Test func `a client that goes away leaves nothing open`() async throws {
    try await Fixture.run { fixture in
      let caller = try fixture.caller(try await fixture.registerSky().string("access_token"))
      let stream = try await caller.subscribe()
      await fixture.log.waitFor("stream.subscribed")
      #expect(fixture.inspector.openStreamCount == 1)
      stream.cancel()
      await fixture.log.waitFor("method=Subscribe status=CANCELLED")
      #expect(fixture.inspector.openStreamCount == 0)
    }
  }

  @Test func `stopping the backend ends the streams`() async throws {
    try await Fixture.run { fixture in
      let caller = try fixture.caller(try await fixture.registerSky().string("access_token"))
      let stream = try await caller.subscribe()
      await fixture.log.waitFor("stream.subscribed")
      await fixture.backend.stop()
      #expect(await stream.ending() == .unavailable)
    }
  }
}
