/// A connected TCP socket, with TLS or without, that never blocks.
///
/// It is not `Sendable`: its owner guards it, and learns from an ``EventLoop`` when its
/// ``descriptor`` is ready. It closes itself when it goes.
public final class ByteStream {
  /// What a read gave.
  public enum ReadResult: Equatable, Sendable {
    /// So many bytes were read.
    case bytes(Int)

    /// Nothing is there yet.
    case wouldBlock

    /// The peer closed its side.
    case end
  }

  /// The socket, for an event loop to watch.
  public let descriptor: Int32

  /// What is given back when the connection ends.
  var place: ConnectionLimit.Place?

  private let tls: TLSSession?
  private var pending: [UInt8] = []
  private var pendingStart = 0
  private var isClosed = false

  init(descriptor: Int32, tls: TLSSession?) {
    self.descriptor = descriptor
    self.tls = tls
  }

  deinit { close() }

  /// Whether bytes wait for room in the socket: then watch for writability and ``flush()``.
  public var hasPendingOutput: Bool { pendingStart < pending.count }

  /// Whether TLS holds bytes that were received and not read: no readiness will tell of them.
  public var hasBufferedInput: Bool { tls?.hasBufferedInput ?? false }

  /// Whether TLS goes on with the session of an earlier connection to the same host and port.
  public var isResumed: Bool { tls?.isResumed ?? false }

  /// Reads what is there, up to the size of the buffer.
  ///
  /// - Throws: ``ByteStreamError`` when the connection broke.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteStreamError) -> ReadResult {
    guard !isClosed else { return .end }
    guard let tls else {
      switch try receive(descriptor, into: buffer) {
      case .bytes(let count): return .bytes(count)
      case .wouldBlock: return .wouldBlock
      case .end: return .end
      }
    }
    while true {
      switch try tls.read(into: buffer) {
      case .bytes(let count): return .bytes(count)
      case .end: return .end
      case .needsInput: break
      }
      // TLS 1.3 answers key updates by itself.
      tls.takeOutput(into: &pending)
      try flush()
      if let result = try feed(tls) { return result }
    }
  }

  /// Takes all the bytes, and keeps what the socket has no room for.
  ///
  /// ``hasPendingOutput`` says so: whoever writes on without looking at it fills memory.
  ///
  /// - Throws: ``ByteStreamError`` when the connection broke.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(ByteStreamError) {
    guard !isClosed else { throw ByteStreamError(.network, "The connection is closed.") }
    if let tls {
      try tls.write(bytes)
      tls.takeOutput(into: &pending)
      try flush()
      return
    }
    var sent = 0
    if !hasPendingOutput { sent = try transmit(descriptor, bytes) }
    if sent < bytes.count { pending.append(contentsOf: bytes[sent...]) }
  }

  /// Sends what waits, as far as there is room.
  ///
  /// - Throws: ``ByteStreamError`` when the connection broke.
  public func flush() throws(ByteStreamError) {
    // The number of a closed descriptor may be another connection's by now.
    if isClosed { return }
    while hasPendingOutput {
      let sent = try transmitPending()
      if sent == 0 { break }
      pendingStart += sent
    }
    if !hasPendingOutput {
      pending.removeAll(keepingCapacity: pending.capacity <= 1 << 18)
      pendingStart = 0
    } else if pendingStart > 1 << 16 {
      pending.removeFirst(pendingStart)
      pendingStart = 0
    }
  }

  /// Closes the socket.
  ///
  /// Unwatch it first.
  public func close() {
    if isClosed { return }
    if let tls {
      tls.close()
      tls.takeOutput(into: &pending)
      try? flush()
    }
    isClosed = true
    place = nil
    closeDescriptor(descriptor)
  }

  /// One step of the TLS handshake; true when there is none to do any more.
  func handshakeStep() throws(ByteStreamError) -> Bool {
    guard let tls else { return true }
    while true {
      let result = Result { () throws(ByteStreamError) in try tls.handshake() }
      // An alert that says why must still go out.
      tls.takeOutput(into: &pending)
      try flush()
      if try result.get() { return true }
      switch try feed(tls) {
      case nil: continue
      case .wouldBlock: return false
      default: throw Self.endedInHandshake
      }
    }
  }

  /// The peer went away without a word of TLS: perhaps nothing but a dead machine's proxy.
  static let endedInHandshake = ByteStreamError.tls(
    "The peer closed the connection during the TLS handshake."
  )

  /// Gives ciphertext to TLS; nil when some came.
  private func feed(_ tls: TLSSession) throws(ByteStreamError) -> ReadResult? {
    let result: Result<ReadResult?, ByteStreamError> = withUnsafeTemporaryAllocation(
      byteCount: 1 << 16,
      alignment: 16
    ) { buffer in
      Result { () throws(ByteStreamError) in
        switch try receive(descriptor, into: buffer) {
        case .bytes(let count):
          tls.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
          return nil
        case .wouldBlock: return .wouldBlock
        case .end: return .end
        }
      }
    }
    return try result.get()
  }

  private func transmitPending() throws(ByteStreamError) -> Int {
    let result: Result<Int, ByteStreamError> = pending.withUnsafeBytes { raw in
      Result { () throws(ByteStreamError) in
        try transmit(descriptor, UnsafeRawBufferPointer(rebasing: raw[pendingStart...]))
      }
    }
    return try result.get()
  }
}
