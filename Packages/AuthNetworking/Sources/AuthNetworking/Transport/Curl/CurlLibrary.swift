#if canImport(CCurl)
internal import CCurl

/// libcurl's global state, set up once in a process.
enum CurlLibrary {
  /// Whether libcurl can be used; sets it up at the first call, from whatever thread.
  static let isReady =
    curl_global_init(3 /* CURL_GLOBAL_ALL, which Swift cannot import */) == CURLE_OK
}
#endif
