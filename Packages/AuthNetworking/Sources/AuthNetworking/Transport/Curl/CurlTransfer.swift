#if canImport(CCurl)
internal import CCurl
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// One request on its way through an easy handle.
///
/// It lives on libcurl's thread only.
final class CurlTransfer {
  let exchange: CurlExchange
  let isSecondTry: Bool

  /// What libcurl reads from while the transfer runs; wiped at its end, for bodies and header
  /// lines hold passwords and tokens.
  private(set) var outgoing: UnsafeMutableRawBufferPointer
  var headerLines: UnsafeMutablePointer<curl_slist>?
  let errorText = UnsafeMutableBufferPointer<CChar>.allocate(
    capacity: Int(CURL_ERROR_SIZE)
  )

  var sentBytes = 0
  var head = ResponseHead()
  var body: [UInt8] = []
  var isTooLarge = false

  init(_ exchange: CurlExchange, isSecondTry: Bool) {
    self.exchange = exchange
    self.isSecondTry = isSecondTry
    let body = exchange.request.body ?? []
    outgoing = .allocate(byteCount: body.count, alignment: 1)
    outgoing.copyBytes(from: body)
    errorText.initialize(repeating: 0)
  }

  var request: HTTPRequest { exchange.request }

  /// Wipes and frees what libcurl was lent; the handle must not run any more.
  func release() {
    var line = headerLines
    while let current = line {
      if let text = current.pointee.data { wipe(text, strlen(text)) }
      line = current.pointee.next
    }
    curl_slist_free_all(headerLines)
    headerLines = nil
    if let start = outgoing.baseAddress { wipe(start, outgoing.count) }
    outgoing.deallocate()
    outgoing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    errorText.deallocate()
  }

  /// Whether the request may go out once more by itself: the server cannot have acted on it, or
  /// acting twice makes no difference.
  ///
  /// Node's HTTP/2 server closes a connection with GOAWAY in the middle of things, and libcurl
  /// gives up on requests that were just put on it.
  func mayTryAgain(_ handle: UnsafeMutableRawPointer, _ code: CURLcode) -> Bool {
    guard !isSecondTry, !head.hasBegun, exchange.isWanted else { return false }
    switch code {
    case CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return request.method.isIdempotent || (sentBytes == 0 && !outgoing.isEmpty)
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING:
      // These come after libcurl's own tries, or for what it must not repeat. A body of which no
      // byte was taken was not sent.
      return !request.method.isIdempotent && sentBytes == 0 && !outgoing.isEmpty
    default: return false
    }
  }

  /// What the caller gets.
  func answer(_ handle: UnsafeMutableRawPointer, _ code: CURLcode) -> CurlExchange.Answer {
    guard !isTooLarge, !head.isTooLarge else { return .failure(error(CURLE_FILESIZE_EXCEEDED)) }
    guard code == CURLE_OK else { return .failure(error(code)) }
    // libcurl takes an answer that breaks off in its head for one without a body.
    guard head.isComplete else { return .failure(error(CURLE_PARTIAL_FILE)) }
    var status = 0
    ccurl_getinfo_long(handle, CURLINFO_RESPONSE_CODE, &status)
    return .success(HTTPResponse(status: status, headers: head.headers, body: body))
  }

  /// How long a transfer took, or has taken so far.
  static func elapsed(_ handle: UnsafeMutableRawPointer) -> Duration {
    var microseconds: curl_off_t = 0
    ccurl_getinfo_offset(handle, CURLINFO_TOTAL_TIME_T, &microseconds)
    return .microseconds(Int64(microseconds))
  }

  private func error(_ code: CURLcode) -> TransportError {
    let detail = errorText.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return CurlFailure.error(
      code,
      host: request.url.origin.text,
      detail: String(decoding: detail, as: UTF8.self)
    )
  }

  private func wipe(_ start: UnsafeMutableRawPointer, _ count: Int) {
    #if canImport(Darwin)
    _ = memset_s(start, count, 0, count)
    #elseif canImport(Glibc) || canImport(Musl)
    explicit_bzero(start, count)
    #else
    for offset in 0..<count { start.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
    #endif
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard bytes.count <= request.maximumResponseBytes - body.count else {
      isTooLarge = true
      return 0
    }
    body.append(contentsOf: bytes)
    return bytes.count
  }

  func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    let part = outgoing[sentBytes...].prefix(buffer.count)
    buffer.copyBytes(from: part)
    sentBytes += part.count
    return part.count
  }
}
#endif
