import Foundation
import GRPC
import ProtobufWire
import Testing

@testable import DevBackend

/// Connect of realtime.proto, and TLS on its port.
@Suite(.timeLimit(.minutes(5)), .onEachDatabase) struct RealtimeConnectTests {
  private static func subscribe(_ group: String, after: UInt64 = 0) -> ClientFrame.Kind {
    .subscribe(SubscribeRequest(groupID: group, afterSequence: after))
  }

  @Test func `one stream carries subscriptions, messages and typing`() async throws {
    try await Fixture.run { fixture in
      let bobSession = try await fixture.registerSky("bob")
      let ada = try await fixture.caller(
        try await fixture.registerSky("ada").string("access_token")
      ).connect()
      let bob = try await fixture.caller(bobSession.string("access_token")).connect()
      try await ada.send(Self.subscribe("general"))
      let text = SendRequest(groupID: "general", clientMessageID: "1", body: "text")
      try await bob.send(.send(text))
      #expect(try await ada.nextSequence() == 1)
      // Who types is said by the token, whatever the frame says.
      try await bob.send(.typing(Typing(groupID: "general", userID: "somebody else")))
      let typing = Typing(groupID: "general", userID: bobSession.string("user_id"))
      #expect(try await ada.nextEvent() == .typing(typing))
    }
  }

  @Test func `a stream takes more than one subscription`() async throws {
    try await Fixture.run {
      $0.seedsDemoData = true
    } _: { fixture in
      let login = JSONValue.of([
        "email": .string("ada@example.com"), "password": .string("Lovelace1"),
        "device_id": .string("phone"),
      ])
      let session = try await fixture.client.send("POST", "/auth/login", login).json
      let stream = try await fixture.caller(session.string("access_token")).connect()
      try await stream.send(Self.subscribe("general", after: 2))
      guard case .message(let first)? = try await stream.nextEvent() else {
        Issue.record("no message")
        return
      }
      #expect(first.groupID == "general" && first.sequence == 3)
      try await stream.send(Self.subscribe("homework", after: 1))
      guard case .message(let second)? = try await stream.nextEvent() else {
        Issue.record("no message")
        return
      }
      #expect(second.groupID == "homework" && second.sequence == 2)
    }
  }

  @Test func `a client that only sends ends the stream with its last frame`() async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let stream = try await fixture.caller(token).connect()
      let text = SendRequest(groupID: "general", clientMessageID: "1", body: "text")
      try await stream.send(.send(text))
      await stream.closeSend()
      #expect(await stream.ending() == .ok)
      let page = try await fixture.client.send("GET", "/groups/general/messages", bearer: token)
      #expect(page.text.contains(#""body":"text""#))
    }
  }

  @Test(
    arguments: [
      .subscribe(SubscribeRequest(groupID: "nowhere", afterSequence: 0)),
      .send(SendRequest(groupID: "nowhere", clientMessageID: "1", body: "text")),
      .typing(Typing(groupID: "nowhere", userID: "")),
    ] as [ClientFrame.Kind]
  )
  func `a frame about a group that is not there ends the stream`(
    frame: ClientFrame.Kind
  ) async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let stream = try await fixture.caller(token).connect()
      try await stream.send(frame)
      #expect(await stream.ending() == .notFound)
    }
  }

  @Test func `with TLS the realtime port speaks it too`() async throws {
    let directory = try Fixture.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let tls = try TestIdentity.write(to: directory)
    try await Fixture.run {
      $0.tls = tls
    } _: { fixture in
      let url = "https://127.0.0.1:\(fixture.ports.realtime)"
      let trusted = try RealtimeCaller(url, token: "none", caFile: tls.certificateFile)
      #expect(await statusCode { _ = try await trusted.send("text", id: "1") } == .unauthenticated)
      let untrusted = try RealtimeCaller(url, token: "none")
      #expect(await statusCode { _ = try await untrusted.send("text", id: "1") } == .unavailable)
    }
  }
}
