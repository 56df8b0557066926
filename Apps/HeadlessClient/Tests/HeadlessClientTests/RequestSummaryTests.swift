import AuthNetworking
import Testing

@testable import HeadlessClient

struct RequestSummaryTests {
  private var summary: RequestSummary {
    var tally = RequestTally()
    for _ in 0..<30 { tally.answered(200, problem: nil, after: .microseconds(1500)) }
    for _ in 0..<10 { tally.answered(200, problem: nil, after: .microseconds(700)) }
    tally.failed("network", ClientError(.network, "no route"))
    return RequestSummary(tally: tally, wanted: 41, elapsed: .seconds(2), refreshes: 2)
  }

  @Test func `People get counts, times and a picture of them`() {
    #expect(
      summary.text(width: 60) == """
        41 of 41 requests: 40 × 200, 1 × network, in 2 s, 20.5 a second
        1 failed, at most 1 in a row
        the session was refreshed 2 times
        answered after: p50 1.5 ms, p90 1.5 ms, p99 1.5 ms, at most 1.5 ms
          500 µs – 1 ms  10  ████████████▋
            1 ms – 2 ms  30  ██████████████████████████████████████
        """
    )
  }

  @Test(arguments: [30, 60, 80, 200])
  func `No line of the picture is wider than the terminal`(width: Int) {
    let picture = summary.text(width: width).split(separator: "\n").dropFirst(4)
    #expect(picture.count == 2)
    #expect(picture.allSatisfy { $0.count <= width })
  }

  @Test func `Programs get the same in numbers`() throws {
    let object = try #require(summary.json["summary"])
    #expect(object["requests"]?.number?.integer() == 41)
    #expect(object["failed"]?.number?.integer() == 1)
    #expect(object["counts"]?["200"]?.number?.integer() == 40)
    #expect(object["refreshes"]?.number?.integer() == 2)
    #expect(object["seconds"]?.number?.double == 2)
    #expect(object["milliseconds"]?["least"]?.number?.double == 0.7)
    #expect(object["milliseconds"]?["greatest"]?.number?.double == 1.5)
    #expect(object["alarm"] == .bool(false))
    #expect(
      object["histogram"]?.text
        == #"[{"from":0.5,"to":1,"count":10},{"from":1,"to":2,"count":30}]"#
    )
  }

  @Test func `Where nothing was answered, there are no times`() {
    var tally = RequestTally()
    tally.failed("timeout", ClientError(.timeout, "slow"))
    let summary = RequestSummary(tally: tally, wanted: nil, elapsed: .zero, refreshes: 0)
    #expect(
      summary.text(width: 80) == """
        1 request: 1 × timeout, in 0 µs
        1 failed, at most 1 in a row
        """
    )
    #expect(summary.json["summary"]?["milliseconds"] == .object(JSONObject()))
  }

  @Test(
    arguments: [
      (0, "0 µs"), (999, "999 µs"), (1000, "1 ms"), (1230, "1.23 ms"), (12_340, "12.3 ms"),
      (123_400, "123 ms"), (9_999, "10 ms"), (99_960, "100 ms"), (1_000_000, "1 s"),
      (61_500_000, "61.5 s"), (120_000_000, "2 min"), (7_500_000_000, "2 h 5 min"),
      (7_200_000_000, "2 h"),
    ] as [(UInt64, String)]
  )
  func `A time has three figures`(microseconds: UInt64, text: String) {
    #expect(RequestSummary.time(microseconds) == text)
  }
}
