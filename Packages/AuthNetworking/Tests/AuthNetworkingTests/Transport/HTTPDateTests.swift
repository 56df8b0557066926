import AuthNetworking
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct HTTPDateTests {
  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Sun,  6 Nov 1994 08:49:37 GMT", 784_111_777),
      ("Sun, 06 Nov 1994 08:49:37 UTC", 784_111_777),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
      ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200),
      ("Friday, 01-Jan-27 00:00:00 GMT", 1_798_761_600),
    ]
  )
  func `all three forms of an HTTP date are read`(text: String, seconds: Double) {
    #expect(HTTPDate.date(parsing: text) == Date(timeIntervalSince1970: seconds))
  }

  @Test(
    arguments: [
      "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:4 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
      "Sun, +6 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov +994 08:49:37 GMT",
    ]
  )
  func `what is no HTTP date is nil`(text: String) {
    #expect(HTTPDate.date(parsing: text) == nil)
  }

  private let now = Date(timeIntervalSince1970: 784_111_777)

  private func response(_ fields: (name: String, value: String)...) -> HTTPResponse {
    HTTPResponse(status: 503, headers: HTTPHeaders(fields))
  }

  @Test(
    arguments: [
      ("0", Duration.seconds(0)),
      (" 7 ", .seconds(7)),
      ("86400", .seconds(3600)),
      ("99999999999999999999999999", .seconds(3600)),
      ("007\t", .seconds(7)),
      ("Sun, 06 Nov 1994 08:49:47 GMT", .seconds(10)),
      ("Sun, 06 Nov 1994 08:49:00 GMT", .seconds(0)),
      ("Fri, 31 Dec 9999 23:59:59 GMT", .seconds(3600)),
    ]
  )
  func `R12: Retry-After is read in both forms, never negative, with a cap`(
    text: String,
    expected: Duration
  ) {
    #expect(response(("retry-after", text)).retryAfter(now: now) == expected)
  }

  @Test(arguments: [
    "", " ", "soon", "-5", "+5", "1.5", "1e3", "0x10", "0b1", "5, 10", "5 10", "3s", "٣", "nan",
    "inf", "12 monkeys",
  ])
  func `R12: a Retry-After that says nothing is nil`(text: String) {
    #expect(response(("Retry-After", text)).retryAfter(now: now) == nil)
  }

  @Test func `R12: a Retry-After date is measured from the server's own clock where it shows it`() {
    let retryAfter = (name: "Retry-After", value: "Sun, 06 Nov 1994 09:00:10 GMT")
    let answer = response(("Date", "Sun, 06 Nov 1994 09:00:00 GMT"), retryAfter)
    #expect(answer.retryAfter(now: now) == .seconds(10))
    #expect(answer.retryAfter() == .seconds(10))
    #expect(response(retryAfter).retryAfter() == nil)
    var noted = response(retryAfter)
    noted.receivedAt = now
    #expect(noted.retryAfter() == .seconds(633))
    #expect(response().retryAfter() == nil)
  }

  @Test func `R11: the server's clock is in the Date field`() {
    #expect(response(("date", "Sun, 06 Nov 1994 08:49:37 GMT")).serverDate == now)
    #expect(response(("Date", "yesterday")).serverDate == nil)
  }
}
