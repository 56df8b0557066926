import Synchronization
import Testing

@testable import GroupMessages

@Suite(.timeLimit(.minutes(10)))
struct MailboxTests {
  @Test func `elements come out in order, then the end, again and again`() async {
    let mailbox = Mailbox<Int>(capacity: 4)
    for number in 1...3 { #expect(await mailbox.put(number)) }
    mailbox.finish(PortError())
    #expect([1, 2, 3].allSatisfy { mailbox.element() == $0 })
    for _ in 0..<2 {
      guard case .ended(let error) = mailbox.take() else {
        Issue.record("no end")
        return
      }
      #expect(error is PortError)
    }
  }

  @Test func `a full box makes the writer wait`() async {
    let mailbox = Mailbox<Int>(capacity: 2)
    let written = Mutex(0)
    let writer = Task {
      for number in 1...1000 where await mailbox.put(number) { written.withLock { $0 += 1 } }
      mailbox.finish(nil)
    }
    var read = 0
    reading: while true {
      let ahead = written.withLock { $0 } - read
      #expect(ahead <= 2)
      switch mailbox.take() {
      case .element(let number):
        read += 1
        #expect(number == read)
      case .ended: break reading
      case nil: await mailbox.wait()
      }
    }
    await writer.value
    #expect(read == 1000)
  }

  @Test func `a writer whose reader has gone is told so`() async {
    let mailbox = Mailbox<Int>(capacity: 1)
    _ = await mailbox.put(1)
    let writer = Task { await mailbox.put(2) }
    mailbox.close()
    #expect(await !writer.value)
    #expect(await !mailbox.put(3))
    #expect(mailbox.take() == nil)
  }

  @Test func `ringing ends the wait, or else the next one`() async {
    let mailbox = Mailbox<Int>(capacity: 1)
    mailbox.ring()
    await mailbox.wait()
    async let waiting: Void = mailbox.wait()
    mailbox.ring()
    await waiting
    #expect(mailbox.take() == nil)
  }

  @Test func `cancelling ends the wait`() async {
    let mailbox = Mailbox<Int>(capacity: 1)
    let waiting = Task { await mailbox.wait() }
    waiting.cancel()
    await waiting.value
    #expect(mailbox.take() == nil)
  }
}

extension Mailbox where Element == Int {
  fileprivate func element() -> Int? {
    if case .element(let number) = take() { number } else { nil }
  }
}
