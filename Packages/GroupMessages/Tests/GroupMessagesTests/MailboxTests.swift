import Testing

@testable import GroupMessages

@Suite(.timeLimit(.minutes(1)))
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
    let written = Gate()
    let writer = Task {
      for number in 1...3 {
        _ = await mailbox.put(number)
        if number == 2 { await written.pass() }
      }
      mailbox.finish(nil)
    }
    await written.waitForArrivals()
    written.open()
    var read: [Int] = []
    while true {
      switch mailbox.take() {
      case .element(let number):
        read.append(number)
        continue
      case .ended: break
      case nil:
        await mailbox.wait()
        continue
      }
      break
    }
    await writer.value
    #expect(read == [1, 2, 3])
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
