#if canImport(CCurl)
internal import CCurl
internal import SessionModels

/// The URL and the header lines of one request, as libcurl reads them.
///
/// They lie in one piece of memory, which is wiped at the end, for they hold tokens; the token is in
/// no `String` on its way there.
struct CurlRequestLines {
  private let memory: UnsafeMutableRawPointer
  private let size: Int
  /// The URL, for the moment in which libcurl copies it.
  let url: UnsafePointer<CChar>
  /// The list that libcurl reads from as long as the transfer runs; nil where it is empty.
  let headers: UnsafeMutablePointer<curl_slist>?

  private enum Line {
    /// Ends in a colon, which keeps libcurl from adding a field of its own.
    case without(String)
    /// An empty value is written with a semicolon, for a colon would remove the field.
    case empty(String)
    case field(String, String)
    case bearer(Secret)

    var size: Int {
      switch self {
      case .without(let name), .empty(let name): name.utf8.count + 1
      case .field(let name, let value): name.utf8.count + 2 + value.utf8.count
      case .bearer(let secret): Line.bearerStart.utf8.count + secret.count
      }
    }

    static let bearerStart = "Authorization: Bearer "
  }

  /// Writes the lines of a request, which holds no zero byte.
  init(_ request: HTTPRequest) {
    let (origin, target) = (request.url.origin.text, request.url.target)
    var count = 0
    var size = origin.utf8.count + target.utf8.count + 1
    CurlRequestLines.forEachLine(of: request) { line in
      count += 1
      size += line.size + 1
    }
    let listSize = count * MemoryLayout<curl_slist>.stride
    self.size = listSize + size
    memory = .allocate(byteCount: self.size, alignment: MemoryLayout<curl_slist>.alignment)
    var writer = Writer(next: memory + listSize)
    url = UnsafePointer(
      writer.line { writer in
        writer.write(origin)
        writer.write(target)
      }
    )
    guard count > 0 else {
      headers = nil
      return
    }
    let list = memory.bindMemory(to: curl_slist.self, capacity: count)
    var index = 0
    CurlRequestLines.forEachLine(of: request) { line in
      let text = writer.line { $0.write(line) }
      let next = index + 1 < count ? list + index + 1 : nil
      (list + index).initialize(to: curl_slist(data: text, next: next))
      index += 1
    }
    headers = list
  }

  /// Wipes and frees them; libcurl must not read them any more.
  func release() {
    memory.wipe(size)
    memory.deallocate()
  }

  private static func forEachLine(of request: HTTPRequest, _ take: (Line) -> Void) {
    for name in unwanted where request.headers[name] == nil { take(.without(name)) }
    for (name, value) in request.headers.fields {
      let isEmpty = value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
      take(isEmpty ? .empty(name) : .field(name, value))
    }
    if let bearer = request.bearer, request.headers["Authorization"] == nil {
      take(.bearer(bearer))
    }
  }

  /// What libcurl adds by itself.
  private static let unwanted = ["Accept", "Content-Type", "Expect", "User-Agent"]

  private struct Writer {
    var next: UnsafeMutableRawPointer

    /// A line that `body` writes, and the zero at its end.
    mutating func line(_ body: (inout Writer) -> Void) -> UnsafeMutablePointer<CChar> {
      let start = next
      body(&self)
      next.storeBytes(of: 0, as: UInt8.self)
      next += 1
      return start.assumingMemoryBound(to: CChar.self)
    }

    mutating func write(_ line: Line) {
      switch line {
      case .without(let name):
        write(name)
        write(":")
      case .empty(let name):
        write(name)
        write(";")
      case .field(let name, let value):
        write(name)
        write(": ")
        write(value)
      case .bearer(let secret):
        write(Line.bearerStart)
        next = secret.withBytes { Writer.copy($0, to: next) }
      }
    }

    mutating func write(_ text: String) {
      var text = text
      next = text.withUTF8 { Writer.copy(UnsafeRawBufferPointer($0), to: next) }
    }

    private static func copy(
      _ bytes: UnsafeRawBufferPointer,
      to next: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
      if let start = bytes.baseAddress { next.copyMemory(from: start, byteCount: bytes.count) }
      return next + bytes.count
    }
  }
}
#endif
