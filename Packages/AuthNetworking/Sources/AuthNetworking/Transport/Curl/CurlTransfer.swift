#if canImport(CCurl)
internal import CCurl

/// One request on its way through an easy handle.
///
/// It lives on libcurl's thread only.
final class CurlTransfer {
  let exchange: CurlExchange
  let configuration: CurlConfiguration
  let isSecondTry: Bool

  /// What libcurl reads from while the transfer runs; wiped at its end, for bodies and header
  /// lines hold passwords and tokens.
  private(set) var outgoing: UnsafeMutableRawBufferPointer
  /// The handle that it goes through.
  let handle: CurlHandle
  /// URL and fields, lent to libcurl likewise, once the handle is prepared.
  var lines: CurlRequestLines?

  /// Gives a body that is not in memory; nil where it is, or there is none.
  let reader: (any BodyReader)?
  /// Has libcurl look again at a transfer that it left waiting for its body; nil where there is no
  /// reader.
  private let wake: (@Sendable () -> Void)?

  /// Whether libcurl sends nothing until the body goes on.
  private(set) var isWaitingForBody = false
  /// Whether the server still cares while it waits.
  var peer = WaitingPeer()

  private var progress = TransferProgress()
  private var hasBegunToRead = false
  /// What the caller's body or file did, which libcurl only knows as an aborted transfer.
  private var failure: TransportError?
  var head = ResponseHead()
  /// How many bytes of an answer have come, its head included.
  private(set) var receivedBytes = 0
  private var body: [UInt8] = []
  private var isTooLarge = false
  /// Whether the answer's body goes into the file; nil while no byte of it has come.
  private var isSaving: Bool?
  /// How the answer's body is packed; nil while no byte of it has come.
  private var coding: ContentCoding?
  private var decoder: GzipDecoder?
  /// Whether the answer was given up because nobody could tell whether its body is whole.
  private var isEndUntold = false

  init(
    _ exchange: CurlExchange,
    _ configuration: CurlConfiguration,
    _ handle: CurlHandle,
    isSecondTry: Bool,
    resumeLater: @escaping @Sendable (CurlLoop.Resumption) -> Void
  ) {
    self.exchange = exchange
    self.configuration = configuration
    self.handle = handle
    self.isSecondTry = isSecondTry
    outgoing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    guard let content = exchange.request.content else {
      (reader, wake) = (nil, nil)
      return
    }
    progress.bytesToSend = content.length
    let resumption = CurlLoop.Resumption(
      handle: UInt(bitPattern: handle.pointer),
      exchange: exchange
    )
    let wake: @Sendable () -> Void = { resumeLater(resumption) }
    reader = content.reader(whenReady: wake)
    self.wake = reader == nil ? nil : wake
    if let body = content.bytes, !body.isEmpty {
      outgoing = .allocate(byteCount: body.count, alignment: 1)
      outgoing.copyBytes(from: body)
    }
  }

  var request: HTTPRequest { exchange.request }

  /// Whether there is a body of which no byte was taken: then the server has no whole request.
  private var isBodyUntouched: Bool {
    reader == nil ? progress.sentBytes == 0 && !outgoing.isEmpty : !hasBegunToRead
  }

  /// Whether the body can be given from its beginning once more.
  private var hasBodyAgain: Bool { request.content?.isReplayable ?? true || isBodyUntouched }

  /// Whether an answer over HTTP/2 would have to do, whatever it says about its end: where a file
  /// is to get it, and it cannot be asked for once more.
  var needsEndOfHTTP1: Bool {
    exchange.download != nil
      && (isSecondTry || !request.isRepeatable || request.content?.isReplayable == false)
  }

  /// Wipes and frees what libcurl was lent; the handle must not run any more.
  func release() {
    lines?.release()
    lines = nil
    outgoing.baseAddress?.wipe(outgoing.count)
    outgoing.deallocate()
    outgoing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    reader?.close()
  }

  /// Whether the request may go out once more by itself: the server cannot have acted on it, or
  /// acting twice makes no difference.
  ///
  /// Node's HTTP/2 server closes a connection with GOAWAY in the middle of things, and libcurl
  /// gives up on requests that were just put on it.
  func mayTryAgain(_ code: CURLcode) -> Bool {
    guard !isSecondTry, exchange.isWanted, hasBodyAgain else { return false }
    // HTTP/1.1 marks the end of such an answer.
    if isEndUntold { return true }
    guard !head.hasBegun else { return false }
    switch code {
    case CURLE_HTTP2, CURLE_HTTP2_STREAM: return request.isRepeatable || isBodyUntouched
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING:
      // These come after libcurl's own tries, or for what it must not repeat. A body of which no
      // byte was taken was not sent.
      return !request.isRepeatable && isBodyUntouched
    default: return false
    }
  }

  /// As ``mayTryAgain(_:)``, where the server went away while it had to wait for the body: libcurl
  /// has not tried anything itself.
  var mayTryAgainAfterLoss: Bool {
    !isSecondTry && !head.hasBegun && exchange.isWanted && hasBodyAgain
      && (request.isRepeatable || progress.sentBytes == 0)
  }

  /// What has come of an exchange whose server went away before the body was whole.
  ///
  /// libcurl does not say whether an answer is whole, so one without a length counts as broken off.
  var codeAfterLoss: CURLcode {
    guard head.hasBegun else { return CURLE_GOT_NOTHING }
    var (announced, received): (curl_off_t, curl_off_t) = (0, 0)
    ccurl_getinfo_offset(handle.pointer, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced)
    ccurl_getinfo_offset(handle.pointer, CURLINFO_SIZE_DOWNLOAD_T, &received)
    return head.isComplete && (status == 204 || announced == received)
      ? CURLE_OK : CURLE_PARTIAL_FILE
  }

  /// Libcurl is about to ask for the body again, if it still wants it.
  func resume() { isWaitingForBody = false }

  /// What the caller gets.
  func answer(_ code: CURLcode) -> CurlExchange.Answer {
    if let failure { return .failure(failure) }
    guard !isTooLarge, !head.isTooLarge else { return .failure(error(CURLE_FILESIZE_EXCEEDED)) }
    // So does libcurl before 8.6 call a head line beyond its own limit of 100 KiB.
    if code == CURLE_OUT_OF_MEMORY, head.hasBegun, !head.isComplete {
      return .failure(error(CURLE_FILESIZE_EXCEEDED))
    }
    guard code == CURLE_OK else { return .failure(error(code)) }
    // libcurl takes an answer that breaks off in its head for one without a body.
    guard head.isComplete else { return .failure(error(CURLE_PARTIAL_FILE)) }
    guard decoder?.isWhole ?? true else { return .failure(bodyError("the answer broke off")) }
    let status = status
    if isSuccess(status), end.isMissing(body) {
      return .failure(bodyError("the answer broke off"))
    }
    var response = HTTPResponse(status: status, headers: head.headers, body: body)
    if let download = exchange.download, isSuccess(status) { response.savedBytes = download.size }
    return .success(response)
  }

  private var status: Int {
    var status = 0
    ccurl_getinfo_long(handle.pointer, CURLINFO_RESPONSE_CODE, &status)
    return status
  }

  private var end: AnswerEnd {
    var version = 0
    ccurl_getinfo_long(handle.pointer, CURLINFO_HTTP_VERSION, &version)
    let isHTTP2 = version == Int(CURL_HTTP_VERSION_2_0)
    return AnswerEnd(status: status, headers: head.headers, isHTTP2: isHTTP2)
  }

  private func isSuccess(_ status: Int) -> Bool { (200...299).contains(status) }

  /// How long a transfer took, or has taken so far.
  static func elapsed(_ handle: UnsafeMutableRawPointer) -> Duration {
    var microseconds: curl_off_t = 0
    ccurl_getinfo_offset(handle, CURLINFO_TOTAL_TIME_T, &microseconds)
    return .microseconds(Int64(microseconds))
  }

  private func error(_ code: CURLcode) -> TransportError {
    CurlFailure.error(
      code,
      host: request.url.origin.text,
      detail: handle.message,
      isUnsent: isUnsent(code)
    )
  }

  /// Whether no byte of the request got out, by what libcurl counts.
  private func isUnsent(_ code: CURLcode) -> Bool {
    // What must not be repeated is tried again only where the first try sent nothing of its body.
    guard !head.hasBegun, !isSecondTry || !request.isRepeatable else { return false }
    var sentBytes = 0
    ccurl_getinfo_long(handle.pointer, CURLINFO_REQUEST_SIZE, &sentBytes)
    guard sentBytes == 0 else { return false }
    guard code == CURLE_OPERATION_TIMEDOUT else { return CurlFailure.isBeforeSending(code) }
    var microseconds: curl_off_t = 0
    ccurl_getinfo_offset(handle.pointer, CURLINFO_PRETRANSFER_TIME_T, &microseconds)
    return microseconds == 0
  }

  private func bodyError(_ text: String) -> TransportError {
    TransportError(.network, "\(request.url.origin.text): \(HTTPResponse.oneLine(text))")
  }

  /// Takes a line of the answer's head; anything but all of it ends the transfer.
  func takeHead(_ line: UnsafeRawBufferPointer) -> Int {
    let wasComplete = head.isComplete
    head.take(line: line)
    receivedBytes += line.count
    // libcurl sends no more once it is refused, but waits on for a body that has paused.
    if let wake, head.isComplete, !wasComplete { wake() }
    if exchange.download != nil, head.isComplete, !wasComplete, isSuccess(status), end.isUntold {
      isEndUntold = true
      failure = bodyError("the answer does not say where it ends")
      return 0
    }
    return head.isTooLarge ? 0 : line.count
  }

  /// Takes a piece of the answer's body; anything but all of it ends the transfer.
  func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    receivedBytes += bytes.count
    let coding = coding ?? ContentCoding(head.headers)
    self.coding = coding
    switch coding {
    case .none: return takeUnpacked(bytes) ? bytes.count : 0
    case .gzip:
      if decoder == nil { decoder = GzipDecoder() }
      switch decoder?.take(bytes, takeUnpacked) {
      case .taken: return bytes.count
      case .refused: break
      case .broken: failure = bodyError("the answer's gzip is damaged")
      case nil: failure = TransportError(.network, "Out of memory")
      }
    case .other(let name): failure = bodyError("the answer is packed as \(name), not as gzip")
    }
    return 0
  }

  /// Takes a piece of the body as it is meant; false where that ends the transfer.
  private func takeUnpacked(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let isSaving = isSaving ?? (exchange.download != nil && isSuccess(status))
    self.isSaving = isSaving
    if isSaving, let download = exchange.download {
      do { try download.write(bytes) } catch {
        failure = error
        return false
      }
    } else {
      guard bytes.count <= request.maximumResponseBytes - body.count else {
        isTooLarge = true
        return false
      }
      body.append(contentsOf: bytes)
    }
    if let onProgress = request.onProgress {
      if progress.receivedBytes == 0 {
        progress.bytesToReceive = TransferProgress.announced(head.headers)
      }
      progress.receivedBytes += Int64(bytes.count)
      onProgress(progress)
    }
    return true
  }

  /// Gives a piece of the request's body.
  func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count: Int
    if let reader {
      hasBegunToRead = true
      do {
        guard let read = try reader.read(into: buffer) else {
          isWaitingForBody = true
          return Int(CURL_READFUNC_PAUSE)
        }
        count = read
      } catch {
        failure = error
        return Int(CURL_READFUNC_ABORT)
      }
    } else {
      let part = outgoing[Int(progress.sentBytes)...].prefix(buffer.count)
      buffer.copyBytes(from: part)
      count = part.count
    }
    progress.sentBytes += Int64(count)
    if count > 0 { request.onProgress?(progress) }
    return count
  }

  /// Goes back to the beginning of the request's body.
  func rewind() -> Bool {
    guard reader?.rewind() ?? true else { return false }
    progress.sentBytes = 0
    return true
  }
}
#endif
