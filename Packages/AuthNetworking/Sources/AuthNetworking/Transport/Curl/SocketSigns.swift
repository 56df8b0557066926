#if canImport(CCurl)
internal import CCurl
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// What a socket shows without being read.
struct SocketSigns {
  /// Whether the other side sends no more, whatever is still to be read.
  var isClosed: Bool
  var isReadable: Bool
}

extension SocketSigns {
  #if !canImport(Darwin)
  /// Linux's `POLLRDHUP`, which its C library only shows to GNU programs.
  private static let endOfPeer: Int32 = 0x2000
  #endif

  /// Looks at a socket, without waiting.
  init(of socket: curl_socket_t) {
    #if canImport(Darwin)
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT)
    let isClosed = count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    self.init(isClosed: isClosed, isReadable: count > 0)
    #else
    var state = pollfd(fd: socket, events: Int16(POLLIN | SocketSigns.endOfPeer), revents: 0)
    guard poll(&state, 1, 0) > 0 else {
      self.init(isClosed: false, isReadable: false)
      return
    }
    let signs = Int32(state.revents)
    self.init(
      isClosed: signs & Int32(SocketSigns.endOfPeer | POLLHUP | POLLERR | POLLNVAL) != 0,
      isReadable: signs & Int32(POLLIN) != 0
    )
    #endif
  }
}
#endif
