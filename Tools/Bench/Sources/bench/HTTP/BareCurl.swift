import AuthNetworking
import BenchKit
import CCurl
import Foundation

/// The least that libcurl can do: one easy handle, set up once, performed again and again.
///
/// It sends the same fields as a session does, and keeps head and body as one must to use them.
final class BareCurl {
  private let handle: UnsafeMutableRawPointer
  private var lines: UnsafeMutablePointer<curl_slist>?
  private var answer: [UInt8] = []
  private var head: [UInt8] = []

  static let name = "a bare libcurl easy handle"

  init(_ url: HTTPURL, token: String) throws {
    guard let handle = curl_easy_init() else { throw Failure("libcurl cannot be used") }
    self.handle = handle
    let fields = [
      "Accept: application/json", "X-Client-Type: mobile", "X-Client-Version: bench-1.0(1)",
      "User-Agent: bench/1.0 (Linux)", "X-Request-Id: 7d444840-9dc0-11d1-b245-5ffdce74fad2",
      "Authorization: Bearer \(token)",
    ]
    for field in fields { lines = curl_slist_append(lines, field) }
    ccurl_setopt_string(handle, CURLOPT_URL, url.text)
    ccurl_setopt_pointer(handle, CURLOPT_HTTPHEADER, lines)
    ccurl_setopt_string(handle, CURLOPT_ACCEPT_ENCODING, "gzip")
    ccurl_setopt_long(handle, CURLOPT_NOSIGNAL, 1)
    ccurl_setopt_string(handle, CURLOPT_PROXY, "")
    let context = Unmanaged.passUnretained(self).toOpaque()
    ccurl_setopt_write(handle, takeBody, context)
    ccurl_setopt_header(handle, takeHead, context)
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(lines)
  }

  /// One request.
  func get() throws {
    answer.removeAll(keepingCapacity: true)
    head.removeAll(keepingCapacity: true)
    guard curl_easy_perform(handle) == CURLE_OK, answer.count == LoopbackServer.resource.utf8.count
    else { throw Failure("libcurl alone got no answer") }
  }

  fileprivate func take(_ bytes: UnsafeRawBufferPointer, isHead: Bool) {
    if isHead { head.append(contentsOf: bytes) } else { answer.append(contentsOf: bytes) }
  }
}

private let takeBody: ccurl_write_callback = { data, size, count, context in
  guard let data, let context else { return 0 }
  Unmanaged<BareCurl>.fromOpaque(context).takeUnretainedValue()
    .take(UnsafeRawBufferPointer(start: data, count: size * count), isHead: false)
  return size * count
}

private let takeHead: ccurl_write_callback = { data, size, count, context in
  guard let data, let context else { return 0 }
  Unmanaged<BareCurl>.fromOpaque(context).takeUnretainedValue()
    .take(UnsafeRawBufferPointer(start: data, count: size * count), isHead: true)
  return size * count
}
