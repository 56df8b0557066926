import Testing

@testable import HeadlessClient

struct RequestScheduleTests {
  /// When requests start that each take as long as `latency` says.
  private func starts(_ schedule: RequestSchedule, latency: (Int) -> Duration) -> [Duration] {
    var schedule = schedule
    var now = Duration.zero
    var ends: [Duration] = []
    var starts: [Duration] = []
    while starts.count < 1000 {
      switch schedule.next(at: now, underWay: ends.count) {
      case .start:
        ends.append(now + latency(starts.count))
        starts.append(now)
      case .wait(let time):
        #expect(time > now)
        if let first = ends.min(), first < time {
          (now, ends) = (first, ends.filter { $0 != first })
        } else {
          now = time
        }
      case .awaitAnswer:
        guard let first = ends.min(), let index = ends.firstIndex(of: first) else {
          Issue.record("an answer is awaited, and none is under way")
          return starts
        }
        now = max(now, first)
        ends.remove(at: index)
      case .end:
        #expect(ends.isEmpty, "an answer is not waited for")
        return starts
      }
    }
    return starts
  }

  private func seconds(_ numbers: Int...) -> [Duration] { numbers.map { .seconds($0) } }

  @Test func `Without an interval one follows the other, as many at once as there may be`() {
    #expect(starts(RequestSchedule(count: 3)) { _ in .seconds(2) } == seconds(0, 2, 4))
    #expect(
      starts(RequestSchedule(count: 5, concurrency: 2)) { _ in .seconds(2) }
        == seconds(0, 0, 2, 2, 4)
    )
  }

  @Test func `With an interval they start so far apart, however quick the answers are`() {
    let schedule = RequestSchedule(count: 4, interval: .seconds(5))
    #expect(starts(schedule) { _ in .seconds(1) } == seconds(0, 5, 10, 15))
    #expect(
      starts(RequestSchedule(count: 4, concurrency: 2, interval: .seconds(5))) { _ in .seconds(8) }
        == seconds(0, 5, 10, 15)
    )
  }

  @Test func `A slow answer puts the next start off, and no burst follows it`() {
    let schedule = RequestSchedule(count: 5, interval: .seconds(5))
    #expect(
      starts(schedule) { $0 == 0 ? .seconds(23) : .seconds(1) } == seconds(0, 23, 28, 33, 38)
    )
  }

  @Test func `After the time nothing starts, and what is under way is waited for`() {
    let schedule = RequestSchedule(count: nil, interval: .seconds(4), span: .seconds(10))
    #expect(starts(schedule) { _ in .seconds(3) } == seconds(0, 4, 8))
    #expect(
      starts(RequestSchedule(count: nil, span: .seconds(5))) { _ in .seconds(2) }
        == seconds(0, 2, 4)
    )
    #expect(
      starts(RequestSchedule(count: 2, span: .seconds(50))) { _ in .seconds(2) }
        == seconds(0, 2)
    )
  }

  @Test func `What was stopped starts no more`() {
    var schedule = RequestSchedule(count: 10, interval: .seconds(1))
    #expect(schedule.next(at: .zero, underWay: 0) == .start)
    schedule.stop()
    #expect(schedule.next(at: .seconds(9), underWay: 1) == .awaitAnswer)
    #expect(schedule.next(at: .seconds(9), underWay: 0) == .end)
  }
}
