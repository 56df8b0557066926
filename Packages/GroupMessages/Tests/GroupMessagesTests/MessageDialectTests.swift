import GroupMessages
import SessionModels
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct MessageDialectRequestTests {
  @Test func `it is chosen by the session's dialect, and an unknown one is none`() {
    #expect(MessageDialect(.skyConnect) == .skyConnect)
    #expect(MessageDialect(.ksn) == .ksn)
    #expect(MessageDialect(DialectName(rawValue: "newer")) == nil)
  }

  @Test(arguments: MessageDialect.allCases)
  func `history is a GET without a body`(dialect: MessageDialect) throws {
    let request = try dialect.historyRequest(
      group: "demo",
      query: HistoryQuery(before: 7, limit: 200)
    )
    #expect(request.method == .get)
    #expect(request.target == "/groups/demo/messages?before=7&limit=200")
    #expect(request.body == nil)
    let newest = try dialect.historyRequest(group: "demo", query: HistoryQuery())
    #expect(newest.target == "/groups/demo/messages?limit=50")
  }

  @Test(arguments: [
    ("a/b", "a%2Fb"), ("a b", "a%20b"), ("a?x=1#y", "a%3Fx%3D1%23y"), ("100%", "100%25"),
    ("é", "%C3%A9"), ("..a", "..a"), ("//evil.example", "%2F%2Fevil.example"), ("\r\n", "%0D%0A"),
    ("aZ09-._~", "aZ09-._~"), ("\\", "%5C"), ("%2e%2e", "%252e%252e"),
  ])
  func `a group id is one path segment, whatever is in it`(group: String, segment: String) throws {
    let request = try MessageDialect.ksn.historyRequest(group: group, query: HistoryQuery())
    #expect(request.path == "/groups/\(segment)/messages")
  }

  @Test(arguments: ["", ".", ".."])
  func `a group id that no path can carry is refused`(group: String) {
    let error = #expect(throws: MessageError.self) {
      try MessageDialect.ksn.historyRequest(group: group, query: HistoryQuery())
    }
    #expect(error?.code == "invalidInput")
    #expect(throws: MessageError.self) {
      try MessageDialect.ksn.sendRequest(group: group, clientMessageID: "a", body: "b")
    }
  }

  @Test(arguments: [
    (MessageDialect.skyConnect, #"{"body":"say \"hi\" / é","client_message_id":"c-1"}"#),
    (.ksn, #"{"body":"say \"hi\" / é","clientMessageId":"c-1"}"#),
  ])
  func `a send carries text and client message id`(dialect: MessageDialect, body: String) throws {
    let request = try dialect.sendRequest(
      group: "demo",
      clientMessageID: "c-1",
      body: #"say "hi" / é"#
    )
    #expect(request.method == .post)
    #expect(request.target == "/groups/demo/messages")
    #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == body)
  }

  @Test func `an empty text or client message id is refused`() {
    for (id, body) in [("", "text"), ("id", "")] {
      #expect(throws: MessageError.self) {
        try MessageDialect.ksn.sendRequest(group: "demo", clientMessageID: id, body: body)
      }
    }
  }
}

@Suite struct MessageDialectAnswerTests {
  private static let skyConnect =
    #"{"id":"m1","group_id":"demo","sender_id":"u1","client_message_id":"c1","body":"hi","#
    + #""sequence":3,"sent_at":"2026-04-17T10:00:00.5Z","unknown":{}}"#
  private static let ksn =
    #"{"id":"m1","groupId":"demo","senderId":"u1","clientMessageId":"c1","body":"hi","#
    + #""sequence":3,"sentAt":"2026-04-17T12:00:00.5+02:00","unknown":[]}"#

  private let expected = GroupMessage(
    id: "m1",
    groupID: "demo",
    senderID: UserID("u1"),
    clientMessageID: "c1",
    body: "hi",
    sequence: 3,
    sentAt: Date(timeIntervalSince1970: 1_776_420_000.5)
  )

  @Test func `SkyConnect answers flat and in snake_case`() throws {
    let sent = try MessageDialect.skyConnect.sentMessage(
      from: MessageResponse(201, Self.skyConnect),
      group: "demo"
    )
    #expect(sent == expected)
    let page = try MessageDialect.skyConnect.historyPage(
      from: MessageResponse(200, #"{"messages":[\#(Self.skyConnect)],"has_more":true}"#),
      group: "demo"
    )
    #expect(page == HistoryPage(messages: [expected], hasMore: true))
  }

  @Test func `KSN answers in an envelope and in camelCase`() throws {
    let sent = try MessageDialect.ksn.sentMessage(
      from: MessageResponse(201, #"{"success":true,"data":\#(Self.ksn)}"#),
      group: "demo"
    )
    #expect(sent == expected)
    let page = try MessageDialect.ksn.historyPage(
      from: MessageResponse(
        200,
        #"{"success":true,"data":{"messages":[\#(Self.ksn)],"hasMore":false}}"#
      ),
      group: "demo"
    )
    #expect(page == HistoryPage(messages: [expected], hasMore: false))
  }

  @Test func `ids are strings or numbers, and strings after`() throws {
    let body = Self.skyConnect
      .replacing(#""id":"m1""#, with: #""id":9007199254740993"#)
      .replacing(#""sender_id":"u1""#, with: #""sender_id":7"#)
    let message = try MessageDialect.skyConnect.sentMessage(
      from: MessageResponse(200, body),
      group: "demo"
    )
    #expect(message.id == "9007199254740993")
    #expect(message.senderID == UserID("7"))
  }

  @Test(arguments: ["", #","client_message_id":null"#, #","client_message_id":"""#])
  func `a message without client message id has none`(field: String) throws {
    let body = Self.skyConnect.replacing(#","client_message_id":"c1""#, with: field)
    let message = try MessageDialect.skyConnect.sentMessage(
      from: MessageResponse(200, body),
      group: "demo"
    )
    #expect(message.clientMessageID == nil)
  }

  @Test func `a page is oldest first and without repeats, whatever the server's order`() {
    let page = HistoryPage(
      messages: [3, 1, 3, 2].map { .fixture($0) },
      hasMore: true
    )
    #expect(page.messages.map(\.sequence) == [1, 2, 3])
  }

  @Test(arguments: [
    ("", "it is no JSON"), ("<html>portal</html>", "it is no JSON"), ("[]", "the body is"),
    ("null", "the body"), ("{}", "id is missing"), (#"{"id":"m1""#, "it is no JSON"),
    (#"{"id":{}}"#, "id"), (String(repeating: "[", count: 100_000), ""),
    (skyConnect.replacing("3", with: "0"), "sequence"),
    (skyConnect.replacing("3", with: "-3"), "out of range"),
    (skyConnect.replacing("3", with: "1.5"), "out of range"),
    (skyConnect.replacing("3", with: "18446744073709551615"), "sequence"),
    (skyConnect.replacing("3", with: "1e300"), "out of range"),
    (skyConnect.replacing("3", with: #""3""#), "sequence"),
    (skyConnect.replacing("2026-04-17T10", with: "yesterday"), "sentAt"),
    (skyConnect.replacing(#""hi""#, with: "null"), "body"),
  ])
  func `a success of another form is malformed, and says where`(body: String, place: String) {
    let error = #expect(throws: MessageError.self) {
      try MessageDialect.skyConnect.sentMessage(from: MessageResponse(200, body), group: "demo")
    }
    #expect(error?.code == "malformedAnswer")
    #expect(error?.isTemporary == true)
    #expect(error.map { "\($0)" }?.contains(place) == true, "\(String(describing: error))")
    #expect(error.map { "\($0)" }?.contains("portal") == false)
  }

  @Test(arguments: [
    #"{"messages":[]}"#, #"{"success":false,"data":{"messages":[],"hasMore":false}}"#,
    #"{"success":true}"#, #"{"success":true,"data":{"messages":{},"hasMore":false}}"#,
    #"{"success":true,"data":{"messages":[],"has_more":false}}"#,
  ])
  func `KSN without its envelope is malformed`(body: String) {
    let error = #expect(throws: MessageError.self) {
      try MessageDialect.ksn.historyPage(from: MessageResponse(200, body), group: "demo")
    }
    #expect(error?.code == "malformedAnswer")
  }

  @Test(arguments: [
    (#"{"success":false,"error":"Not now"}"#, "Not now"),
    (#"{"error":{"message":"Not now"},"message":"other"}"#, "Not now"),
    (#"{"error":7,"message":"Not now"}"#, "Not now"), (#"{"error":null}"#, "HTTP 400"),
    (#"{"message":{}}"#, "HTTP 400"), ("", "HTTP 400"), ("<html>", "HTTP 400"), ("[]", "HTTP 400"),
  ])
  func `a refusal has the server's text, else its status`(body: String, text: String) {
    let error = #expect(throws: MessageError.self) {
      try MessageDialect.ksn.sentMessage(from: MessageResponse(400, body), group: "demo")
    }
    guard case .rejected(let rejection) = error else {
      Issue.record("not rejected but \(String(describing: error))")
      return
    }
    #expect(rejection == MessageRejection(status: 400, message: text, requestID: "request-1"))
  }

  @Test(arguments: [
    (400, false), (401, false), (403, false), (408, true), (409, false), (429, true), (500, true),
    (503, true), (301, false), (0, false),
  ])
  func `some refusals may pass by themselves`(status: Int, isTemporary: Bool) {
    let response = MessageResponse(status, "", retryAfter: .seconds(9))
    let error = #expect(throws: MessageError.self) {
      try MessageDialect.ksn.historyPage(from: response, group: "demo")
    }
    #expect(error?.isTemporary == isTemporary)
    #expect(error?.retryAfter == .seconds(9))
  }

  @Test func `404 is a group that is not there`() {
    let error = #expect(throws: MessageError.self) {
      try MessageDialect.ksn.historyPage(from: MessageResponse(404, "{}"), group: "demo")
    }
    #expect(error?.code == "notFound")
    #expect(error?.isTemporary == false)
  }
}
