#if canImport(CCurl)
internal import CCurl
internal import SessionModels
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

extension CurlTransfer {
  /// Tells an easy handle everything about the request.
  func prepare(_ handle: UnsafeMutableRawPointer, timeout: Duration) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    self.handle = handle
    ccurl_setopt_string(handle, CURLOPT_URL, request.url.text)
    ccurl_setopt_long(handle, CURLOPT_TIMEOUT_MS, CurlTransfer.milliseconds(timeout))
    setRestrictions(handle)
    if request.url.origin.scheme == "https" { setTrust(handle, context) }
    setMethod(handle, context, longestIdle: configuration.longestIdleBeforePost)
    headerLines = makeHeaderLines()
    ccurl_setopt_pointer(handle, CURLOPT_HTTPHEADER, headerLines)
    ccurl_setopt_string(handle, CURLOPT_ACCEPT_ENCODING, "gzip")
    ccurl_setopt_pointer(handle, CURLOPT_ERRORBUFFER, errorText.baseAddress)
    ccurl_setopt_header(handle, takeHeaderLine, context)
    ccurl_setopt_write(handle, takeBody, context)
    // A file's own limit is looked at as it is written, and does not hold for a refusal.
    if request.method != .head, exchange.download == nil {
      let limit = curl_off_t(clamping: request.maximumResponseBytes)
      // libcurl takes 0 for no limit; the write callback knows better.
      ccurl_setopt_offset(handle, CURLOPT_MAXFILESIZE_LARGE, max(limit, 1))
    }
  }

  /// Nothing but the one exchange that was asked for.
  private func setRestrictions(_ handle: UnsafeMutableRawPointer) {
    ccurl_setopt_long(handle, CURLOPT_NOSIGNAL, 1)
    ccurl_setopt_string(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    ccurl_setopt_long(handle, CURLOPT_FOLLOWLOCATION, 0)
    ccurl_setopt_long(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    ccurl_setopt_long(handle, CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    // The path is sent as it was checked, `..` included.
    ccurl_setopt_long(handle, CURLOPT_PATH_AS_IS, 1)
    ccurl_setopt_long(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // A resolver that hangs must not hold up all other transfers when one is given up.
    ccurl_setopt_long(handle, CURLOPT_QUICK_EXIT, 1)
    if request.url.origin.scheme == "https" {
      ccurl_setopt_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
      // Requests of one moment share a connection where the server speaks HTTP/2. Only here: over
      // plain http this would let them all wait for the first one's answer.
      ccurl_setopt_long(handle, CURLOPT_PIPEWAIT, 1)
    } else {
      ccurl_setopt_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    }
    if ProxyChoice.isDirect(request.url) {
      ccurl_setopt_string(handle, CURLOPT_PROXY, "")
    }
    if isSecondTry || request.needsNewConnection {
      ccurl_setopt_long(handle, CURLOPT_FRESH_CONNECT, 1)
    }
  }

  private func setTrust(
    _ handle: UnsafeMutableRawPointer,
    _ context: UnsafeMutableRawPointer
  ) {
    ccurl_setopt_long(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let caFile = configuration.caFile {
      ccurl_setopt_string(handle, CURLOPT_CAINFO, caFile)
      // Else the system's directory of roots would be trusted as well.
      ccurl_setopt_string(handle, CURLOPT_CAPATH, nil)
    }
    if !configuration.pinning.pins.isEmpty, configuration.pinning.mode == .enforced {
      let keys = configuration.pinning.keys(at: configuration.now())
      if !keys.isEmpty {
        let text = keys.map(\.text).joined(separator: ";")
        ccurl_setopt_string(handle, CURLOPT_PINNEDPUBLICKEY, text)
      }
    }
    #if !canImport(Darwin)
    CurlTLS.prepare(handle, context)
    #endif
  }

  private func setMethod(
    _ handle: UnsafeMutableRawPointer,
    _ context: UnsafeMutableRawPointer,
    longestIdle: Int
  ) {
    let method = request.method
    if method == .head {
      ccurl_setopt_long(handle, CURLOPT_NOBODY, 1)
      return
    }
    // Methods that usually have a body say so, also when it is empty.
    guard request.content != nil || [.post, .put, .patch].contains(method) else {
      ccurl_setopt_string(handle, CURLOPT_CUSTOMREQUEST, method.rawValue)
      if !request.isRepeatable { ccurl_setopt_long(handle, CURLOPT_FRESH_CONNECT, 1) }
      return
    }
    let length = request.content.map(\.length) ?? 0
    ccurl_setopt_long(handle, CURLOPT_POST, 1)
    // A negative size is an unknown one: chunks in HTTP/1.1.
    ccurl_setopt_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(length ?? -1))
    if method != .post { ccurl_setopt_string(handle, CURLOPT_CUSTOMREQUEST, method.rawValue) }
    if length == 0 || (request.isRepeatable && reader == nil && request.onProgress == nil) {
      // Without a body there is nothing to tell whether the request is out: no kept connection.
      if !request.isRepeatable { ccurl_setopt_long(handle, CURLOPT_FRESH_CONNECT, 1) }
      ccurl_setopt_pointer(handle, CURLOPT_POSTFIELDS, outgoing.baseAddress ?? context)
      return
    }
    ccurl_setopt_read(handle, giveBody, context)
    if reader != nil || request.onProgress != nil {
      ccurl_setopt_long(handle, CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
    }
    if request.isRepeatable {
      ccurl_setopt_seek(handle, rewindBody, context)
      return
    }
    // libcurl silently repeats a request when a kept connection breaks before any answer, though
    // the server may have acted on it. It cannot repeat what it cannot rewind: the body comes
    // from a callback, and there is none to go back with.
    // libcurl takes an age of 0 for its own default of two minutes.
    if longestIdle > 0 {
      ccurl_setopt_long(handle, CURLOPT_MAXAGE_CONN, longestIdle)
    } else {
      ccurl_setopt_long(handle, CURLOPT_FRESH_CONNECT, 1)
    }
  }

  private func makeHeaderLines() -> UnsafeMutablePointer<curl_slist>? {
    var lines: UnsafeMutablePointer<curl_slist>?
    func append(_ line: String) { lines = curl_slist_append(lines, line) ?? lines }
    // A line that ends in a colon keeps libcurl from adding a field of its own.
    for name in ["Accept", "Content-Type", "Expect", "User-Agent"]
    where request.headers[name] == nil {
      append("\(name):")
    }
    for (name, value) in request.headers.fields {
      // An empty value is written with a semicolon, for a colon would remove the field.
      append(value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? "\(name);" : "\(name): \(value)")
    }
    if let bearer = request.bearer, request.headers["Authorization"] == nil {
      append("Authorization: Bearer \(bearer.reveal())")
    }
    return lines
  }

  private static func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    guard duration > .zero else { return 1 }
    guard seconds < Int64(Int32.max) / 1000 else { return Int(Int32.max) }
    return max(1, Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000))
  }
}

// libcurl's callbacks. The context is the transfer, which its loop keeps until the handle is
// removed; they run on libcurl's thread, inside `curl_multi_perform`.

private let takeHeaderLine: ccurl_write_callback = { data, size, count, context in
  guard let data, let context else { return 0 }
  return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    .takeHead(UnsafeRawBufferPointer(start: data, count: size * count))
}

private let takeBody: ccurl_write_callback = { data, size, count, context in
  guard let data, let context else { return 0 }
  return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    .take(UnsafeRawBufferPointer(start: data, count: size * count))
}

private let giveBody: ccurl_read_callback = { buffer, size, count, context in
  guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
  return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    .give(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
}

private let rewindBody: ccurl_seek_callback = { context, offset, origin in
  guard let context, offset == 0, origin == SEEK_SET else { return CURL_SEEKFUNC_FAIL }
  let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  return transfer.rewind() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}
#endif
