import Testing

@testable import DevBackend

/// The small pure values.
@Suite struct CoreValueTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
      (784_111_777_000, "1994-11-06T08:49:37.000Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z", "Tue, 29 Feb 2000 00:00:00 GMT"),
      (1_798_761_599_999, "2026-12-31T23:59:59.999Z", "Thu, 31 Dec 2026 23:59:59 GMT"),
      (-1, "1969-12-31T23:59:59.999Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
    ] as [(Int64, String, String)]
  )
  func `instants are written as the RFCs want them`(
    milliseconds: Int64,
    rfc3339: String,
    http: String
  ) {
    #expect(Timestamp.rfc3339(milliseconds) == rfc3339)
    #expect(Timestamp.http(milliseconds) == http)
  }

  @Test(arguments: [
    "2027-02-29", "2100-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "0000-01-01",
    "2026-4-01", "+026-04-01", "２０２６-04-01", "2026-04-01 ", "",
  ])
  func `what is no day is refused`(text: String) {
    #expect(CivilDate(text) == nil)
  }

  @Test func `every day of 400 years is written and read alike`() {
    for day in 0..<146_097 {
      let date = CivilDate(milliseconds: Int64(day) * 86_400_000)
      guard CivilDate(date.text) == date else {
        Issue.record("\(date.text) is read as another day")
        return
      }
    }
  }

  @Test(
    arguments: [
      ([], ""), ([0], "AA"), ([255], "_w"), ([0, 1], "AAE"), ([251, 255], "-_8"),
      ([1, 2, 3], "AQID"), ([1, 2, 3, 4], "AQIDBA"),
    ] as [([UInt8], String)]
  )
  func `base64url has no padding, and one form for each value`(bytes: [UInt8], text: String) {
    #expect(Base64URL.encode(bytes) == text)
    #expect(Base64URL.decode(text) == bytes)
  }

  @Test(arguments: ["A", "AA==", "AB", "A+/A", "AA A", "Ä"])
  func `what is no base64url is refused`(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test(arguments: [
    "kid@example.com", "a.b+c@x.co", "ö@bücher.example",
  ])
  func `an e-mail address is taken as it is`(text: String) {
    #expect(FieldRule.email(text) == nil)
  }

  @Test(arguments: [
    "", "kid", "kid@", "@example.com", "kid@example", "kid@.com", "kid@example.", "a@b@c.de",
    "kid @example.com", "kid@exa\nmple.com", "kid@example.com\u{0}",
  ])
  func `what is no e-mail address is refused`(text: String) {
    #expect(FieldRule.email(text) == "Invalid email address")
  }

  @Test func `a path is taken apart before its escapes are`() {
    let request = ServerRequest(
      method: "GET",
      target: "/groups/a%2Fb/messages?before=3&limit=1&limit=2&x=%C3%B6&=",
      headers: [:],
      body: []
    )
    #expect(request.segments == ["groups", "a/b", "messages"])
    #expect(request.query["limit"] == "1")
    #expect(request.query["x"] == "ö")
  }

  @Test(arguments: ["/a%", "/a%4", "/a%zz", "/%ff"])
  func `a path whose escapes are wrong leads nowhere`(target: String) {
    let request = ServerRequest(method: "GET", target: target, headers: [:], body: [])
    #expect(request.segments == nil)
  }

  @Test(
    arguments: [
      ("Bearer abc", "abc"), ("bearer abc", "abc"), ("Basic abc", nil), ("Bearer", nil), ("", nil),
    ] as [(String, String?)]
  )
  func `the bearer is taken out of its header`(value: String, token: String?) {
    let headers = ["authorization": value]
    let request = ServerRequest(method: "GET", target: "/", headers: headers, body: [])
    #expect(request.bearer == token)
  }

  @Test(arguments: [
    ("4e3a", true), ("", false), ("a b", false), ("a\tb", false), ("ö", false),
    (String(repeating: "x", count: 129), false),
  ])
  func `a request id that is unfit for the log is none`(id: String, isFit: Bool) {
    let headers = ["x-request-id": id]
    let request = ServerRequest(method: "GET", target: "/", headers: headers, body: [])
    #expect((request.requestID == id) == isFit)
  }

  @Test func `a session's latest sighting is kept until it is written, of a bounded number`() {
    var sightings = SessionSightings(capacity: 2)
    for (id, instant) in [("b", 5), ("a", 7), ("b", 9), ("b", 8), ("c", 1)] as [(String, Int64)] {
      sightings.note(id, at: instant)
    }
    #expect(sightings.latest("b") == 9)
    #expect(sightings.latest("c") == nil)
    let taken = sightings.take()
    #expect(taken.map(\.sessionID) == ["a", "b"])
    #expect(taken.map(\.at) == [7, 9])
    #expect(sightings.take().isEmpty)
  }

  @Test(arguments: [
    ("", "", true), ("a", "", false), ("secret", "secret", true), ("secret", "secreT", false),
    ("secret", "secrets", false), ("ä", "a\u{308}", false),
  ])
  func `secrets are compared byte by byte, in constant time`(
    left: String,
    right: String,
    isSame: Bool
  ) {
    #expect(ConstantTime.areEqual(left, right) == isSame)
  }

  @Test func `a client cannot forge a log line`() {
    let time = ServerTime(BackendClock { 0 })
    let keeper = LogKeeper()
    RequestLog(requestID: "r1", time: time, sink: { keeper.add($0) })(
      "event",
      ["client": "1.0\n1970 error forged"]
    )
    #expect(
      keeper.text
        == "1970-01-01T00:00:00.000Z info event request=r1 client=\"1.0\\n1970 error forged\""
    )
  }

  @Test(arguments: [("0123456789abcdef", "…abcdef"), ("0123456789abcde", "…"), ("", "…")])
  func `R9: of a secret the last 6 characters are shown, and of a short one nothing`(
    secret: String,
    shown: String
  ) {
    #expect(RequestLog.tail(secret) == shown)
  }
}
