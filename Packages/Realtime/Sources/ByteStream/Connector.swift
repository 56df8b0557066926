#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Makes connections: resolves, lets the addresses race, agrees on TLS with the first that answers.
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
  /// Of several addresses, IPv6 and IPv4 race (RFC 8305): an address that is silent for 250 ms, or
  /// refuses, does not keep the next one waiting.
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
    let addresses = try await loop.resolve(host: host, port: port, until: deadline)
    do throws(ByteStreamError) {
      return try await connect(host: host, port: port, addresses: addresses, deadline: deadline)
    } catch {
      throw ByteStreamError(error.kind, "\(host):\(port): \(error.message)")
    }
  }

  /// The same with the addresses known.
  func connect(
    host: String,
    port: Int,
    addresses: [SocketAddress],
    deadline: ContinuousClock.Instant
  ) async throws(ByteStreamError) -> sending ByteStream {
    var race = ConnectionRace(families: addresses.map(\.family))
    var effects = race.start(at: .now)
    while true {
      let descriptor: Int32
      (race, descriptor) = try await run(race, effects, addresses, deadline)
      do throws(ByteStreamError) {
        return try await secure(descriptor, host, port, deadline)
      } catch {
        // A refusal of TLS is an answer; only what cannot be reached is a reason to go on.
        guard error.kind == .network || error == ByteStream.endedInHandshake else { throw error }
        effects = race.broke(at: .now)
        if effects == [.fail] { throw error }
      }
    }
  }

  private enum Event: Sendable {
    case connected(Int, Int32)
    case failed(Int, ByteStreamError)
    case delayElapsed
  }

  /// Runs the race until an address is taken: the machine, and the socket that won.
  private func run(
    _ start: ConnectionRace,
    _ beginning: [ConnectionRace.Effect],
    _ addresses: [SocketAddress],
    _ deadline: ContinuousClock.Instant
  ) async throws(ByteStreamError) -> (ConnectionRace, Int32) {
    let result = await withTaskGroup(of: Event.self) { group in
      var race = start
      var effects = beginning
      var sockets: [Int: Int32] = [:]
      var failure = ByteStreamError(.network, "there is no address.")
      var winner: Int?
      while winner == nil {
        for effect in effects {
          switch effect {
          case .connect(let index): group.addTask { await open(index, addresses[index], deadline) }
          case .wake(let time):
            group.addTask {
              try? await Task.sleep(until: time, clock: .continuous)
              return .delayElapsed
            }
          case .take(let index): winner = index
          case .fail:
            group.cancelAll()
            return Result<(ConnectionRace, Int32), ByteStreamError>.failure(failure)
          }
        }
        guard winner == nil, let event = await group.next() else { break }
        switch event {
        case .connected(let index, let descriptor):
          sockets[index] = descriptor
          effects = race.connected(index)
        case .failed(let index, let error):
          failure = error
          effects = race.failed(index, at: .now)
        case .delayElapsed: effects = race.delayElapsed(at: .now)
        }
      }
      group.cancelAll()
      // One that connected in the last moment has lost all the same.
      for await event in group {
        if case .connected(_, let descriptor) = event { closeDescriptor(descriptor) }
      }
      guard let winner, let descriptor = sockets[winner] else { return .failure(failure) }
      return .success((race, descriptor))
    }
    return try result.get()
  }

  private func open(
    _ index: Int,
    _ address: SocketAddress,
    _ deadline: ContinuousClock.Instant
  ) async -> Event {
    do throws(ByteStreamError) {
      return .connected(index, try await open(address, deadline))
    } catch {
      return .failed(index, error)
    }
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
    _ port: Int?,
    _ deadline: ContinuousClock.Instant
  ) async throws(ByteStreamError) -> sending ByteStream {
    let session = try securing(descriptor, host, port)
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

  private func securing(
    _ descriptor: Int32,
    _ host: String,
    _ port: Int?
  ) throws(ByteStreamError) -> TLSSession? {
    guard let tls else { return nil }
    do throws(ByteStreamError) {
      return try TLSSession(tls, host: host, port: port)
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
    try await secure(descriptor, "the client", nil, deadline)
  }
}

private func systemConnect(
  _ descriptor: Int32,
  _ address: UnsafePointer<sockaddr>,
  _ length: socklen_t
) -> Int32 {
  connect(descriptor, address, length)
}
