#if canImport(CCurl)
internal import CCurl

/// An easy handle of libcurl's, for one request after the other, and what it knows already.
///
/// It lives on libcurl's thread only, and goes before the multi handle does.
final class CurlHandle {
  let pointer: UnsafeMutableRawPointer
  private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(
    capacity: Int(CURL_ERROR_SIZE)
  )
  /// What it has been told that counts for all requests like the last one.
  private var settings: CurlSettings?
  private var isBlank = true

  /// A handle; nil where there is no memory.
  init?() {
    errorText.initialize(repeating: 0)
    guard let pointer = curl_easy_init() else {
      errorText.deallocate()
      return nil
    }
    self.pointer = pointer
  }

  deinit {
    curl_easy_cleanup(pointer)
    errorText.deallocate()
  }

  /// Gets ready for a request.
  ///
  /// - Parameter wanted: its settings; nil where it is special.
  /// - Returns: whether the handle has been told them already. If not, it knows nothing at all.
  func begin(_ wanted: CurlSettings?) -> Bool {
    errorText[0] = 0
    if let wanted, wanted == settings { return true }
    if !isBlank { curl_easy_reset(pointer) }
    isBlank = false
    settings = wanted
    ccurl_setopt_pointer(pointer, CURLOPT_ERRORBUFFER, errorText.baseAddress)
    return false
  }

  /// Forgets a request that is over.
  ///
  /// - Parameter isAnswered: whether all went well, so that what is left is known.
  func end(isAnswered: Bool) {
    if isAnswered, settings != nil {
      ccurl_setopt_pointer(pointer, CURLOPT_HTTPHEADER, nil)
    } else {
      curl_easy_reset(pointer)
      settings = nil
      isBlank = true
    }
  }

  /// What libcurl says about a failure; empty where it says nothing.
  var message: String {
    String(decoding: errorText.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
#endif
