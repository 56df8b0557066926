internal import AuthNetworking

/// Makes a request out of what stands on the command line.
struct RequestInput {
  private let context: CommandContext

  /// Header fields that the transport writes itself: another value would break the framing.
  private static let framing = ["content-length", "transfer-encoding", "host", "connection"]
  private static let largestBody = 1 << 30

  init(_ context: CommandContext) { self.context = context }

  /// The request, checked as far as it can be before the network.
  func request() async throws(ClientError) -> APIRequest {
    let path = context.invocation.operand(1) ?? ""
    let backend = try await context.client.backend()
    guard !path.isEmpty else { throw .usage("PATH is empty; name one such as /auth/me") }
    do {
      _ = try backend.baseURL.appending(path: path)
    } catch {
      throw .usage("PATH: \(error.message)")
    }
    var request = APIRequest(try method(), path, headers: try headers())
    request.content = try content()
    request.destination = try destination(of: request)
    request.idempotencyKey = try key()
    return request
  }

  /// Whether each request gets a key of its own.
  var makesKeys: Bool { context.invocation.value("idempotency-key") == "auto" }

  /// When the requests start.
  func schedule() throws(ClientError) -> RequestSchedule {
    let invocation = context.invocation
    let (interval, span) = (duration("interval"), duration("for"))
    if count == 1, invocation.value("alarm-after") != nil {
      throw .usage(
        "--alarm-after needs many requests",
        advice: "Give --repeat, --interval or --for"
      )
    }
    return RequestSchedule(
      count: count,
      concurrency: invocation.integer("concurrency") ?? 1,
      interval: interval,
      span: span
    )
  }

  /// How many requests there are to be; nil for no end of them.
  private var count: Int? {
    if let count = context.invocation.integer("repeat") { return count }
    return duration("interval") == nil && duration("for") == nil ? 1 : nil
  }

  private func duration(_ option: String) -> Duration? {
    context.invocation.value(option).flatMap(ValueForm.duration)
  }

  private func key() throws(ClientError) -> IdempotencyKey? {
    guard let text = context.invocation.value("idempotency-key"), !makesKeys else { return nil }
    guard let key = IdempotencyKey(text) else {
      throw .usage(
        "--idempotency-key must be 1 to 255 visible ASCII characters without quotes and backslashes"
      )
    }
    return key
  }

  private func destination(of request: APIRequest) throws(ClientError) -> DownloadTarget? {
    guard let path = context.invocation.value("output") else { return nil }
    guard !path.isEmpty else { throw .usage("--output: name a file") }
    guard path != "-" else {
      throw .usage("--output takes a file", advice: "Without it the answer goes to standard output")
    }
    guard request.method != .head else {
      throw .usage("--output: the answer to HEAD has no body", advice: "Use GET")
    }
    guard count == 1 else {
      throw .usage("--output takes one answer, and --repeat, --interval and --for make many")
    }
    guard !context.invocation.isOn("summary") else {
      throw .usage("--summary prints no answer, and --output saves one: give one of them")
    }
    return DownloadTarget(FilePath.absolute(path))
  }

  private func content() throws(ClientError) -> RequestBody? {
    guard let path = context.invocation.value("upload") else {
      return try body().map { .bytes($0, contentType: RequestBody.json) }
    }
    guard context.invocation.value("data") == nil else {
      throw .usage("--data and --upload are two bodies: give one")
    }
    do {
      return try .file(FilePath.absolute(path))
    } catch {
      throw ClientError(.invalidInput, "--upload: \(error.message)")
    }
  }

  private func method() throws(ClientError) -> HTTPMethod {
    let text = context.invocation.operand(0) ?? ""
    guard !text.isEmpty, text.utf8.allSatisfy(RequestInput.isTokenCharacter) else {
      throw .usage("METHOD must be a word such as GET or POST")
    }
    // Methods are case-sensitive (RFC 9110), and `get` is a slip.
    return HTTPMethod(rawValue: text.uppercased())
  }

  private func headers() throws(ClientError) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for text in context.invocation.all("header") {
      let (name, value) = try RequestInput.field(text, option: "header")
      guard !RequestInput.framing.contains(name.lowercased()) else {
        throw .usage("--header cannot set \(name)")
      }
      headers.add(name, value)
    }
    return headers
  }

  /// Takes `Name: value` apart.
  ///
  /// - Throws: ``ClientError`` of code `usage` where it is none, or could end the field early.
  static func field(_ text: String, option: String) throws(ClientError) -> (String, String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(isTokenCharacter),
      parts[1].utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
    else { throw .usage("--\(option) must be 'NAME: VALUE'") }
    var value = parts[1]
    while let first = value.first, first == " " || first == "\t" { value.removeFirst() }
    while let last = value.last, last == " " || last == "\t" { value.removeLast() }
    return (String(parts[0]), String(value))
  }

  private func body() throws(ClientError) -> [UInt8]? {
    guard let data = context.invocation.value("data") else { return nil }
    let bytes: [UInt8]
    if data == "-" {
      bytes = try context.input.standardInput(atMost: RequestInput.largestBody)
    } else if data.hasPrefix("@") {
      let path = FilePath.absolute(String(data.dropFirst()))
      guard let read = try PrivateFiles.read(path, atMost: RequestInput.largestBody) else {
        throw ClientError(.invalidInput, "--data: there is no file \(path)")
      }
      bytes = read
    } else {
      bytes = Array(data.utf8)
    }
    guard JSONValue(parsing: bytes) != nil else {
      throw ClientError(.invalidInput, "--data is not JSON")
    }
    return bytes
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
