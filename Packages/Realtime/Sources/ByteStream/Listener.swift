internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Accepts connections on one address.
public final class Listener: Sendable {
  /// The port that is bound, also where 0 was asked for.
  public let port: Int

  private let descriptor: Int32
  private let loop: EventLoop
  private let isClosed = Mutex(false)

  /// Binds and listens; nothing is accepted before ``accept(tls:handshakeTimeout:limit:_:)``.
  ///
  /// - Parameters:
  ///   - host: the name or address to bind to.
  ///   - port: 0 for any free one.
  ///   - loop: the loop that waits for clients.
  /// - Throws: ``ByteStreamError`` when the address is not ours, or taken.
  public init(host: String, port: Int, loop: EventLoop) async throws(ByteStreamError) {
    let addresses = try await loop.resolve(
      host: host,
      port: port,
      passive: true,
      until: .now + .seconds(30)
    )
    let address = addresses[0]
    let descriptor = try makeStreamSocket(family: address.family)
    allowAddressReuse(descriptor)
    guard address.withPointer({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 1024) == 0
    else {
      let code = errno
      closeDescriptor(descriptor)
      throw .system("\(host):\(port)", code)
    }
    self.descriptor = descriptor
    self.loop = loop
    self.port = boundPort(descriptor)
  }

  /// Begins to accept.
  ///
  /// - Parameters:
  ///   - tls: nil for plain TCP.
  ///   - handshakeTimeout: how long a client may take to agree on TLS.
  ///   - limit: what closes at once the connections that an address has beyond it.
  ///   - body: gets each connection, on the loop's thread or in a task.
  public func accept(
    tls: TLSContext?,
    handshakeTimeout: Duration = .seconds(10),
    limit: ConnectionLimit? = nil,
    _ body: @escaping @Sendable (sending ByteStream) -> Void
  ) {
    let connector = Connector(loop: loop, tls: tls)
    loop.watch(descriptor, for: .readable) { [weak self] _ in
      while let client = self?.acceptOne() {
        // A client without an address is gone already.
        let network = limit == nil ? nil : PeerNetwork(descriptor: client)
        let place = network.flatMap { limit?.take($0) }
        guard limit == nil || place != nil else {
          closeDescriptor(client)
          continue
        }
        guard tls != nil else {
          let stream = ByteStream(descriptor: client, tls: nil)
          stream.place = place
          body(stream)
          continue
        }
        Task {
          let deadline = ContinuousClock.now + handshakeTimeout
          guard let stream = try? await connector.accept(client, deadline: deadline) else { return }
          stream.place = place
          body(stream)
        }
      }
    }
  }

  /// Stops accepting and frees the port.
  public func close() {
    let wasOpen = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    guard wasOpen else { return }
    loop.unwatch(descriptor)
    closeDescriptor(descriptor)
  }

  deinit { close() }

  private func acceptOne() -> Int32? {
    let (client, isExhausted) = isClosed.withLock { isClosed -> (Int32, Bool) in
      // Under the lock, so that a descriptor which was closed meanwhile is not accepted from.
      guard !isClosed else { return (-1, false) }
      let client = systemAccept(descriptor)
      return (client, client < 0 && (errno == EMFILE || errno == ENFILE))
    }
    if isExhausted { pause() }
    guard client >= 0 else { return nil }
    prepareSocket(client)
    return client
  }

  /// Lets clients wait for a moment while no descriptor is left, or the loop would spin.
  private func pause() {
    loop.change(descriptor, to: [])
    loop.schedule(at: ContinuousClock.now + .milliseconds(100)) { [weak self] in
      guard let self else { return }
      loop.change(descriptor, to: .readable)
    }
  }
}

private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }

private func boundPort(_ descriptor: Int32) -> Int {
  var storage = sockaddr_storage()
  var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
  let status = withUnsafeMutableBytes(of: &storage) { raw in
    // The storage is as large and aligned as any address.
    raw.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress, &length) }
  }
  guard status == 0 else { return 0 }
  // The port lies at the same place, in network order, in both families of addresses.
  return withUnsafeBytes(of: storage) { Int($0[2]) << 8 | Int($0[3]) }
}
