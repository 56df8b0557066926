#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

func makeNonBlocking(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
}

func closeOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

/// A socket that neither blocks nor raises SIGPIPE, nor is inherited by child processes.
func makeStreamSocket(family: Int32) throws(ByteStreamError) -> Int32 {
  #if canImport(Glibc)
  // At once, so that no child process that is started meanwhile inherits it.
  let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  #else
  let type = SOCK_STREAM
  #endif
  let descriptor = socket(family, type, 0)
  guard descriptor >= 0 else { throw .system("socket", errno) }
  prepareSocket(descriptor)
  return descriptor
}

func prepareSocket(_ descriptor: Int32) {
  makeNonBlocking(descriptor)
  closeOnExec(descriptor)
  set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
  #if canImport(Darwin)
  set(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
  #endif
}

func allowAddressReuse(_ descriptor: Int32) { set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1) }

/// The error that a connect in the background ended with; 0 when it succeeded.
func pendingError(_ descriptor: Int32) -> Int32 {
  var value: Int32 = 0
  var size = socklen_t(MemoryLayout<Int32>.size)
  guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &size) == 0 else { return errno }
  return value
}

private func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
  var value = value
  _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
}

enum ReceiveResult {
  case bytes(Int)
  case wouldBlock
  case end
}

func receive(
  _ descriptor: Int32,
  into buffer: UnsafeMutableRawBufferPointer
) throws(ByteStreamError) -> ReceiveResult {
  while true {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if count > 0 { return .bytes(count) }
    if count == 0 { return .end }
    if errno == EINTR { continue }
    if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
    throw .broken("recv", errno)
  }
}

/// The number of bytes that the socket took; 0 when it has no room.
func transmit(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(ByteStreamError) -> Int {
  while true {
    #if canImport(Darwin)
    let count = send(descriptor, bytes.baseAddress, bytes.count, 0)
    #else
    let count = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
    if count >= 0 { return count }
    if errno == EINTR { continue }
    if errno == EAGAIN || errno == EWOULDBLOCK { return 0 }
    throw .broken("send", errno)
  }
}
