#if canImport(CCurl)
/// Whether the server is still there for a transfer that waits for its body.
///
/// An end of the connection counts once libcurl has had its turn to read what came before it, and
/// nothing more came of that.
struct WaitingPeer {
  enum Finding: Equatable {
    case there
    /// The socket has something that libcurl does not read: waiting for the socket would not wait.
    case unclear
    case gone
  }

  private var receivedWhenReady: Int?

  /// Takes what the socket shows after libcurl's turn, and how much of an answer has come by then.
  mutating func look(_ signs: SocketSigns, received: Int) -> Finding {
    guard signs.isClosed || signs.isReadable else {
      receivedWhenReady = nil
      return .there
    }
    defer { receivedWhenReady = received }
    guard receivedWhenReady == received else { return .there }
    return signs.isClosed ? .gone : .unclear
  }
}
#endif
