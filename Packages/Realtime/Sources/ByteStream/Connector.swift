#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Makes connections: resolves, connects to one address after the other, agrees on TLS.
public struct Connector: Sendable {
  private let loop: EventLoop
  private let tls: TLSContext?

  /// - Parameters:
  ///   - loop: the loop that waits for the sockets.
  ///   - tls: nil for plain TCP.
  public init(loop: EventLoop, tls: TLSContext?) {
    self.loop = loop
    self.tls = tls
  }

  /// Connects, and returns a stream that is ready for the first byte.
  ///
  /// - Parameters:
  ///   - host: a name or an address, IPv6 without brackets. TLS verifies it.
  ///   - port: 1 to 65535.
  ///   - deadline: for all of it together.
  /// - Returns: the stream, with TLS agreed on where it is asked for.
  /// - Throws: ``ByteStreamError``; of several addresses, the failure of the last one.
  public func connect(
    host: String,
    port: Int,
    deadline: ContinuousClock.Instant
  ) async throws(ByteStreamError) -> sending ByteStream {
    let addresses = try await SocketAddress.resolve(host: host, port: port)
    var failure = ByteStreamError(.network, "\(host) has no address.")
    for address in addresses {
      do throws(ByteStreamError) {
        let descriptor = try await open(address, deadline)
        return try await secure(descriptor, host, deadline)
      } catch {
        failure = error
        // Only an address that cannot be reached is a reason to try the next one.
        if error.kind != .network { break }
      }
    }
    throw ByteStreamError(failure.kind, "\(host):\(port): \(failure.message)")
  }

  private func open(
    _ address: SocketAddress,
    _ deadline: ContinuousClock.Instant
  ) async throws(ByteStreamError) -> Int32 {
    let descriptor = try makeStreamSocket(family: address.family)
    do throws(ByteStreamError) {
      let status = address.withPointer { systemConnect(descriptor, $0, $1) }
      if status != 0 {
        guard errno == EINPROGRESS || errno == EINTR else { throw .system("connect", errno) }
        try await loop.waitUntilReady(descriptor, for: .writable, until: deadline)
        let code = pendingError(descriptor)
        guard code == 0 else { throw .system("connect", code) }
      }
      return descriptor
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
  }

  private func secure(
    _ descriptor: Int32,
    _ host: String,
    _ deadline: ContinuousClock.Instant
  ) async throws(ByteStreamError) -> sending ByteStream {
    let session = try securing(descriptor, host)
    let stream = ByteStream(descriptor: descriptor, tls: session)
    while try !stream.handshakeStep() {
      try await loop.waitUntilReady(
        descriptor,
        for: stream.hasPendingOutput ? [.readable, .writable] : .readable,
        until: deadline
      )
    }
    return stream
  }

  private func securing(_ descriptor: Int32, _ host: String) throws(ByteStreamError) -> TLSSession?
  {
    guard let tls else { return nil }
    do throws(ByteStreamError) {
      return try TLSSession(tls, host: host)
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
  }

  /// Agrees on TLS, as the server, on a socket that was accepted.
  func accept(
    _ descriptor: Int32,
    deadline: ContinuousClock.Instant
  ) async throws(ByteStreamError) -> sending ByteStream {
    try await secure(descriptor, "the client", deadline)
  }
}

private func systemConnect(
  _ descriptor: Int32,
  _ address: UnsafePointer<sockaddr>,
  _ length: socklen_t
) -> Int32 {
  connect(descriptor, address, length)
}
