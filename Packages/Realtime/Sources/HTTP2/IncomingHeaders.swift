/// The header fields of the frame that is being read, up to a limit.
struct IncomingHeaders {
  private(set) var fields: [HTTP2Header] = []
  private var size = 0

  mutating func begin() {
    fields = []
    size = 0
  }

  /// Adds a field; false when the list grows beyond `limit`.
  mutating func add(
    _ name: UnsafeBufferPointer<UInt8>,
    _ value: UnsafeBufferPointer<UInt8>,
    limit: Int
  ) -> Bool {
    // RFC 9113, section 10.5.1, counts 32 bytes for each field besides its text.
    size += name.count + value.count + 32
    guard size <= limit else { return false }
    fields.append(
      HTTP2Header(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    )
    return true
  }

  /// The status of an answer; nil for a request and for trailers.
  var status: Int? {
    guard let first = fields.first, first.name == ":status" else { return nil }
    return Int(first.value)
  }
}
