#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A port of 127.0.0.1 for a server that is told where to listen, which nobody else gets meanwhile.
///
/// It is bound here for as long as this lives, and not listened at: Linux gives it to nobody who asks
/// for any port, and lets a server listen there that names it and sets `SO_REUSEADDR`, as servers do.
/// Other systems let no second one have it, so there it is only one that was free.
public final class ReservedPort: Sendable {
  /// The port; 0, which stands for any, where the system has none.
  public let number: Int

  private let descriptor: Int32

  /// Takes a free port.
  public init() {
    #if canImport(Glibc)
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
    let type = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, type, 0)
    var isOn: Int32 = 1
    let optionLength = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, optionLength)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { raw in
      raw.withMemoryRebound(to: sockaddr.self) { start in
        guard let pointer = start.baseAddress else { return false }
        return bind(descriptor, pointer, length) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    number = isBound ? Int(UInt16(bigEndian: address.sin_port)) : 0
    #if os(Linux)
    self.descriptor = descriptor
    #else
    close(descriptor)
    self.descriptor = -1
    #endif
  }

  deinit { close(descriptor) }
}
