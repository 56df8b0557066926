/// HTTP/2 frames made by hand, right or wrong.
enum RawFrame {
  static let noFlags: UInt8 = 0
  static let endStream: UInt8 = 1
  static let endHeaders: UInt8 = 4
  static let padded: UInt8 = 8

  static func frame(
    _ type: UInt8,
    _ flags: UInt8 = 0,
    _ stream: UInt32 = 0,
    _ payload: [UInt8] = []
  ) -> [UInt8] {
    let length = UInt32(payload.count)
    return [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags]
      + number(stream) + payload
  }

  static func data(_ bytes: [UInt8], end: Bool = false, stream: UInt32 = 1) -> [UInt8] {
    frame(0, end ? endStream : noFlags, stream, bytes)
  }

  static func paddedData(_ bytes: [UInt8], padding: UInt8, end: Bool = false) -> [UInt8] {
    let payload = [padding] + bytes + [UInt8](repeating: 0, count: Int(padding))
    return frame(0, padded | (end ? endStream : noFlags), 1, payload)
  }

  static func headers(
    _ fields: KeyValuePairs<String, String>,
    end: Bool = false,
    stream: UInt32 = 1
  ) -> [UInt8] {
    frame(1, endHeaders | (end ? endStream : noFlags), stream, block(fields))
  }

  static func reset(_ code: UInt32, stream: UInt32 = 1) -> [UInt8] {
    frame(3, 0, stream, number(code))
  }

  static func settings(_ entries: [(id: UInt16, value: UInt32)] = []) -> [UInt8] {
    frame(
      4,
      0,
      0,
      entries.flatMap { [UInt8($0.id >> 8), UInt8($0.id & 255)] + number($0.value) }
    )
  }

  static let settingsAnswer = frame(4, 1)

  static func ping(_ payload: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]) -> [UInt8] {
    frame(6, 0, 0, payload)
  }

  static func goAway(last: UInt32, code: UInt32 = 0, _ text: String = "") -> [UInt8] {
    frame(7, 0, 0, number(last) + number(code) + Array(text.utf8))
  }

  static func windowUpdate(_ increment: UInt32, stream: UInt32 = 0) -> [UInt8] {
    frame(8, 0, stream, number(increment))
  }

  /// Header fields as HPACK literals, neither indexed nor compressed (RFC 7541, section 6.2.2).
  static func block(_ fields: KeyValuePairs<String, String>) -> [UInt8] {
    fields.flatMap { [0] + text($0.key) + text($0.value) }
  }

  /// A gRPC message with its prefix.
  static func message(_ bytes: [UInt8], flag: UInt8 = 0, length: UInt32? = nil) -> [UInt8] {
    [flag] + number(length ?? UInt32(bytes.count)) + bytes
  }

  private static func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
    var rest = bytes.count - 127
    var length: [UInt8] = [127]
    while rest >= 128 {
      length.append(UInt8(rest % 128) | 128)
      rest /= 128
    }
    return length + [UInt8(rest)] + bytes
  }

  private static func number(_ value: UInt32) -> [UInt8] {
    [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
  }
}
