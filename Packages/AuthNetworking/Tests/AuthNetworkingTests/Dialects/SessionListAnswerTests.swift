import AuthNetworking
import SessionModels
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an answer to "list my sessions" is read as.
@Suite struct SessionListAnswerTests {
  private func sessions(
    _ body: String,
    status: Int = 200,
    api: any AuthAPI = SkyConnectAPI()
  ) throws -> [ServerSession] {
    try api.sessions(from: HTTPResponse(status: status, body: Array(body.utf8)))
  }

  private let full = ServerSession(
    id: "s1",
    deviceID: DeviceID(rawValue: "phone"),
    userAgent: "app/1.0 (Linux 6.1)",
    createdAt: Date(timeIntervalSince1970: 1_700_000_000),
    lastSeenAt: Date(timeIntervalSince1970: 1_700_000_060.5),
    isCurrent: true
  )

  @Test func `SkyConnect: in snake_case, flat`() throws {
    let body = """
      {"sessions":[{"id":"s1","device_id":"phone","user_agent":"app/1.0 (Linux 6.1)",
      "created_at":"2023-11-14T22:13:20Z","last_seen_at":"2023-11-14T22:14:20.5Z","current":true},
      {"id":2}]}
      """
    #expect(try sessions(body) == [full, ServerSession(id: "2")])
  }

  @Test func `KSN: in camelCase, in the envelope`() throws {
    let body = """
      {"success":true,"data":{"sessions":[{"id":"s1","deviceId":"phone",
      "userAgent":"app/1.0 (Linux 6.1)","createdAt":"2023-11-14T22:13:20Z",
      "lastSeenAt":"2023-11-14T22:14:20.5Z","current":true},{"id":2}]}}
      """
    #expect(try sessions(body, api: KSNAPI()) == [full, ServerSession(id: "2")])
  }

  @Test(
    arguments: [
      (#"[{"id":"a"}]"#, ["a"]),
      (#"{"sessions":[]}"#, []),
      (#"{"sessions":[{"id":""},{"id":null},{},7,{"id":"b","device_id":5}]}"#, ["b"]),
    ]
  )
  func `what has no id is no session, and what cannot be read is unknown`(
    body: String,
    ids: [String]
  ) throws {
    #expect(try sessions(body) == ids.map { ServerSession(id: $0) })
  }

  @Test func `a server's text is put on one line`() throws {
    let found = try sessions(#"[{"id":"a","user_agent":"x\u001b[31m\n y"}]"#)
    #expect(found.first?.userAgent == "x [31m y")
  }

  @Test(arguments: [
    "", "{}", "<html></html>", #"{"sessions":{}}"#, #"{"success":false,"data":[]}"#,
  ])
  func `a 2xx without a list is a temporary error`(body: String) throws {
    for api: any AuthAPI in [SkyConnectAPI(), KSNAPI()] {
      let error = #expect(throws: AuthError.self) { try sessions(body, api: api) }
      #expect(error?.code == .server)
    }
  }

  @Test func `a backend without such a call refuses it`() throws {
    let error = #expect(throws: AuthError.self) {
      try sessions(#"{"error":"Not found"}"#, status: 404)
    }
    #expect(error == AuthError(.rejected, "Not found", status: 404))
  }
}
