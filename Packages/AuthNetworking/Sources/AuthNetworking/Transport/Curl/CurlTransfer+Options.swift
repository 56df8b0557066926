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

extension CurlTransfer {
  /// Tells the easy handle everything about the request that it does not know from the last one.
  func prepare(timeout: Duration) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let isSecure = request.url.origin.scheme == "https"
    let pinnedKeys = isSecure ? pinnedKeys : nil
    let settings = CurlSettings(request, isSecondTry: isSecondTry, pinnedKeys: pinnedKeys)
    let isKnown = handle.begin(settings)
    let handle = handle.pointer
    if !isKnown {
      setRestrictions(handle)
      if isSecure { setTrust(handle, pinnedKeys: pinnedKeys) }
      setMethod(handle, context, longestIdle: configuration.longestIdleBeforePost)
      ccurl_setopt_string(handle, CURLOPT_ACCEPT_ENCODING, "gzip")
      // Unpacked here, where a body that breaks off is noticed.
      ccurl_setopt_long(handle, CURLOPT_HTTP_CONTENT_DECODING, 0)
      if let mostBytes = request.mostBytes {
        // libcurl takes 0 for no limit; the write callback knows better.
        let limit = max(curl_off_t(clamping: mostBytes), 1)
        ccurl_setopt_offset(handle, CURLOPT_MAXFILESIZE_LARGE, limit)
      }
    }
    // What every request has to itself, this object above all.
    #if !canImport(Darwin)
    if isSecure { CurlTLS.prepare(handle, context) }
    #endif
    ccurl_setopt_header(handle, takeHeaderLine, context)
    ccurl_setopt_write(handle, takeBody, context)
    ccurl_setopt_long(handle, CURLOPT_TIMEOUT_MS, CurlTransfer.milliseconds(timeout))
    let lines = CurlRequestLines(request)
    self.lines = lines
    ccurl_setopt_string(handle, CURLOPT_URL, lines.url)
    ccurl_setopt_pointer(handle, CURLOPT_HTTPHEADER, lines.headers)
  }

  /// The keys that a server may have just now; nil for any.
  private var pinnedKeys: String? {
    guard !configuration.pinning.pins.isEmpty, configuration.pinning.mode == .enforced else {
      return nil
    }
    let keys = configuration.pinning.keys(at: configuration.now())
    return keys.isEmpty ? nil : keys.map(\.text).joined(separator: ";")
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
    if request.url.origin.scheme == "https", !needsEndOfHTTP1 {
      ccurl_setopt_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
      // Requests of one moment share a connection where the server speaks HTTP/2. Only here: over
      // plain http this would let them all wait for the first one's answer.
      ccurl_setopt_long(handle, CURLOPT_PIPEWAIT, 1)
    } else {
      ccurl_setopt_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
      // Requests after it would take the kept connection, one at a time, and not share one.
      if needsEndOfHTTP1, request.url.origin.scheme == "https" {
        ccurl_setopt_long(handle, CURLOPT_FRESH_CONNECT, 1)
        ccurl_setopt_long(handle, CURLOPT_FORBID_REUSE, 1)
      }
    }
    if ProxyChoice.isDirect(request.url) {
      ccurl_setopt_string(handle, CURLOPT_PROXY, "")
    }
    if isSecondTry || request.needsNewConnection {
      ccurl_setopt_long(handle, CURLOPT_FRESH_CONNECT, 1)
    }
  }

  private func setTrust(_ handle: UnsafeMutableRawPointer, pinnedKeys: String?) {
    ccurl_setopt_long(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let caFile = configuration.caFile {
      ccurl_setopt_string(handle, CURLOPT_CAINFO, caFile)
      // Else the system's directory of roots would be trusted as well.
      ccurl_setopt_string(handle, CURLOPT_CAPATH, nil)
    }
    if let pinnedKeys { ccurl_setopt_string(handle, CURLOPT_PINNEDPUBLICKEY, pinnedKeys) }
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
    guard request.content != nil || request.hasBodyByMethod else {
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
