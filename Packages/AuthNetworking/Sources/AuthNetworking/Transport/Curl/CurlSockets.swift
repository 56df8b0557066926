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

/// The sockets that libcurl has opened, to find that of a transfer.
///
/// libcurl names it only once the transfer is over (before 8.7), but all the time its two ports,
/// which no other TCP socket of the process has. It lives on libcurl's thread only, and longer than
/// the handles.
final class CurlSockets {
  /// Numbers that are, or once were, libcurl's sockets.
  private var opened: Set<curl_socket_t> = []

  /// Has a handle tell of the sockets that it opens.
  func watch(_ handle: UnsafeMutableRawPointer) {
    ccurl_setopt_socket(handle, noteSocket, Unmanaged.passUnretained(self).toOpaque())
  }

  /// The socket that a transfer goes over; nil where it has none.
  func socket(of handle: UnsafeMutableRawPointer) -> curl_socket_t? {
    var (own, other) = (0, 0)
    ccurl_getinfo_long(handle, CURLINFO_LOCAL_PORT, &own)
    ccurl_getinfo_long(handle, CURLINFO_PRIMARY_PORT, &other)
    guard own > 0, other > 0 else { return nil }
    return opened.first { socket in
      CurlSockets.port(socket, getsockname) == own && CurlSockets.port(socket, getpeername) == other
    }
  }

  fileprivate func note(_ socket: curl_socket_t) {
    // A process that the app starts would keep the connection open for as long as it runs.
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    opened.insert(socket)
  }

  private static func port(
    _ socket: curl_socket_t,
    _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> Int? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &address) { bytes in
      guard let start = bytes.baseAddress,
        name(socket, start.assumingMemoryBound(to: sockaddr.self), &length) == 0
      else { return nil }
      return switch Int32(start.assumingMemoryBound(to: sockaddr.self).pointee.sa_family) {
      case AF_INET:
        Int(UInt16(bigEndian: start.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port))
      case AF_INET6:
        Int(UInt16(bigEndian: start.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_port))
      default: nil
      }
    }
  }
}

private let noteSocket: ccurl_socket_callback = { context, socket, _ in
  guard let context else { return CURL_SOCKOPT_OK }
  Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue().note(socket)
  return CURL_SOCKOPT_OK
}
#endif
