import Testing

@testable import AuthNetworking

/// When a server counts as gone under a body that waits.
struct WaitingPeerTests {
  @Test(
    arguments: [
      ([(false, false, 0), (false, false, 0)], .there),
      // The end was read in the turn before, or is read in the next one.
      ([(true, true, 0)], .there), ([(true, true, 0), (true, true, 0)], .gone),
      // What came before the end is still on its way to the answer.
      ([(true, true, 0), (true, true, 9)], .there),
      ([(true, true, 0), (true, true, 9), (true, true, 9)], .gone),
      // Something that nobody reads, and later the end.
      ([(false, true, 5), (false, true, 5)], .unclear),
      ([(false, true, 5), (false, true, 5), (true, true, 5)], .gone),
      // Something that libcurl read after all.
      ([(false, true, 5), (false, false, 5), (false, true, 5)], .there),
    ] as [([(Bool, Bool, Int)], WaitingPeer.Finding)]
  )
  func `an end counts after libcurl's turn, once nothing more comes of it`(
    looks: [(isClosed: Bool, isReadable: Bool, received: Int)],
    last: WaitingPeer.Finding
  ) {
    var peer = WaitingPeer()
    var finding: WaitingPeer.Finding?
    for look in looks {
      let signs = SocketSigns(isClosed: look.isClosed, isReadable: look.isReadable)
      finding = peer.look(signs, received: look.received)
    }
    #expect(finding == last)
  }
}
