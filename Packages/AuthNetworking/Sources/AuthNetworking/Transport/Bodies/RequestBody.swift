/// What a request carries: bytes, a file, or a stream, with the type that it is sent as.
///
/// ```swift
/// var request = APIRequest(.put, "/photos/1")
/// request.content = try .file("/var/tmp/photo.jpg", contentType: "image/jpeg")
/// request.timeout = .seconds(600)
/// ```
///
/// A file and a stream are never in memory as a whole, and a stream is asked for its next piece
/// only when the network has taken the one before.
public struct RequestBody: Sendable {
  enum Source: Sendable {
    case bytes([UInt8])
    case file(BodyFile)
    case stream(BodyStream)
  }

  let source: Source
  /// The `Content-Type` that it is sent with, unless the request's own headers name another.
  public var contentType: String

  /// Bytes in memory.
  public static func bytes(
    _ bytes: [UInt8],
    contentType: String = RequestBody.binary
  ) -> RequestBody {
    RequestBody(source: .bytes(bytes), contentType: contentType)
  }

  /// JSON, as UTF-8.
  public static func json(_ value: JSONValue) -> RequestBody {
    RequestBody(source: .bytes(Array(value.text.utf8)), contentType: RequestBody.json)
  }

  /// A file, read from the disk while it is sent, and read again for each further attempt.
  ///
  /// It is looked at now, and must be the same file with the same size and time of change in each
  /// attempt: what changes or vanishes meanwhile is ``TransportError/Code/body``, and the server
  /// gets no whole body. This opens the file, so call it where a moment on the disk does no harm.
  ///
  /// - Throws: ``TransportError/Code/body`` where it cannot be read, or is no regular file.
  public static func file(
    _ path: String,
    contentType: String = RequestBody.binary
  ) throws(TransportError) -> RequestBody {
    RequestBody(source: .file(try BodyFile(path)), contentType: contentType)
  }

  /// A stream that is made anew for each attempt.
  ///
  /// - Parameters:
  ///   - length: how many bytes come, if known; a stream that gives fewer fails. Without it an
  ///     HTTP/1.1 server must understand chunks.
  ///   - contentType: the type that it is sent as.
  ///   - make: gives a new stream with the same bytes at each call.
  /// - Returns: the body.
  public static func stream<Pieces: AsyncSequence & SendableMetatype>(
    length: Int64? = nil,
    contentType: String = RequestBody.binary,
    _ make: @escaping @Sendable () async throws -> Pieces
  ) -> RequestBody where Pieces.Element == [UInt8] {
    let stream = BodyStream(length: length, isReplayable: true) { pipe in
      await pipe.take(from: make)
    }
    return RequestBody(source: .stream(stream), contentType: contentType)
  }

  /// A stream that can be read once.
  ///
  /// A request with it is not replayed after a 401 (R6): the session is refreshed, and
  /// ``AuthError/Code/body`` with status 401 says that it has to be made again. The same where a
  /// redirect asks for the body a second time.
  ///
  /// - Parameters:
  ///   - length: as for a stream that is made anew.
  ///   - contentType: the type that it is sent as.
  ///   - pieces: the bytes, piece by piece.
  /// - Returns: the body.
  public static func oneShot<Pieces: AsyncSequence & Sendable>(
    length: Int64? = nil,
    contentType: String = RequestBody.binary,
    _ pieces: Pieces
  ) -> RequestBody where Pieces.Element == [UInt8] {
    let stream = BodyStream(length: length, isReplayable: false) { pipe in
      await pipe.take { pieces }
    }
    return RequestBody(source: .stream(stream), contentType: contentType)
  }

  /// How many bytes it has; nil for a stream that does not know.
  public var length: Int64? {
    switch source {
    case .bytes(let bytes): Int64(bytes.count)
    case .file(let file): file.size
    case .stream(let stream): stream.length
    }
  }

  /// Whether it can be sent a second time.
  public var isReplayable: Bool {
    if case .stream(let stream) = source { stream.isReplayable } else { true }
  }

  /// Its bytes where they are in memory; nil for a file or a stream.
  public var bytes: [UInt8]? {
    if case .bytes(let bytes) = source { bytes } else { nil }
  }

  /// Bytes of no known form: `application/octet-stream`.
  public static let binary = "application/octet-stream"
  /// JSON: `application/json`.
  public static let json = "application/json"
}

extension RequestBody {
  /// Reads all of it into memory: for transports and tests that send no streams.
  ///
  /// For a one-shot stream this is the one time.
  ///
  /// - Throws: ``TransportError/Code/body``, or `cancelled` when the task is.
  public func collected() async throws(TransportError) -> [UInt8] {
    if let bytes { return bytes }
    let ready = Wakeup()
    guard let reader = reader(whenReady: { ready.signal() }) else { return [] }
    defer { reader.close() }
    var collected: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      if Task.isCancelled { throw .cancelledByCaller }
      // A moment on the disk for each piece of a file: this is no path of an app's.
      let count = piece.withUnsafeMutableBytes { buffer in
        Result { () throws(TransportError) in try reader.read(into: buffer) }
      }
      switch try count.get() {
      case nil: await ready.wait()
      case 0: return collected
      case let count?: collected += piece.prefix(count)
      }
    }
  }

  /// Hands out what is not in memory, from its beginning; nil for bytes.
  func reader(whenReady wake: @escaping @Sendable () -> Void) -> (any BodyReader)? {
    switch source {
    case .bytes: nil
    case .file(let file): FileBodyReader(file)
    case .stream(let stream): StreamBodyReader(stream, whenReady: wake)
    }
  }
}

extension RequestBody: CustomStringConvertible, CustomReflectable {
  /// Type and length; never the bytes, which may hold secrets (R9).
  public var description: String { "\(contentType), \(length.map { "\($0)" } ?? "some") bytes" }

  /// Shows the description only.
  public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}
