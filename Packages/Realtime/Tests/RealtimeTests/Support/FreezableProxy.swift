import ByteStream
import Synchronization

/// A way to a server on loopback that can go silent without a word, as a phone's network does.
final class FreezableProxy: Sendable {
  let port: Int
  private let loop: EventLoop
  private let listener: Listener
  private let links = Mutex<[Link]>([])

  /// The connections that were made through it so far.
  var connections: Int { links.withLock { $0.count } }

  init(to target: Int) async throws {
    let loop = EventLoop()
    self.loop = loop
    listener = try await Listener(host: "127.0.0.1", port: 0, loop: loop)
    port = listener.port
    listener.accept(tls: nil) { [weak self] client in
      let near = Mutex<ByteStream?>(client)
      Task { [weak self] in
        let far = try await Connector(loop: loop, tls: nil).connect(
          host: "127.0.0.1",
          port: target,
          deadline: .now + .seconds(60)
        )
        guard let client = near.take() else { return }
        self?.join(client, far)
      }
    }
  }

  deinit { stop() }

  /// The connections there are bring nothing any more, and say nothing of it.
  func freeze() { for link in links.withLock({ $0 }) { link.freeze() } }

  /// What had been held back arrives.
  func thaw() { for link in links.withLock({ $0 }) { link.thaw() } }

  func stop() {
    listener.close()
    loop.stop()
  }

  private func join(_ near: sending ByteStream, _ far: sending ByteStream) {
    let link = Link(loop, near, far)
    links.withLock { $0.append(link) }
    link.thaw()
  }

  /// Two sockets, of which each gets what the other one brings.
  private final class Link: Sendable {
    private struct Ends {
      let near: ByteStream
      let far: ByteStream
    }

    private let loop: EventLoop
    private let ends: Mutex<Ends>
    private let descriptors: [Int32]

    init(_ loop: EventLoop, _ near: sending ByteStream, _ far: sending ByteStream) {
      self.loop = loop
      descriptors = [near.descriptor, far.descriptor]
      ends = Mutex(Ends(near: near, far: far))
    }

    func freeze() { for descriptor in descriptors { loop.unwatch(descriptor) } }

    func thaw() {
      freeze()
      for descriptor in descriptors {
        loop.watch(descriptor, for: .readable) { [self] _ in carry(from: descriptor) }
      }
    }

    private func carry(from descriptor: Int32) {
      ends.withLock { ends in
        let isNear = descriptor == ends.near.descriptor
        let (source, target) = isNear ? (ends.near, ends.far) : (ends.far, ends.near)
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        do {
          guard
            case .bytes(let count) = try bytes.withUnsafeMutableBytes({ try source.read(into: $0) })
          else { return close(ends) }
          try bytes.withUnsafeBytes { try target.write(.init(rebasing: $0[..<count])) }
        } catch {
          close(ends)
        }
      }
    }

    private func close(_ ends: Ends) {
      freeze()
      ends.near.close()
      ends.far.close()
    }
  }
}

extension Mutex where Value == ByteStream? {
  /// Takes what is there, once.
  fileprivate borrowing func take() -> sending ByteStream? {
    withLock { value in
      defer { value = nil }
      return value
    }
  }
}
