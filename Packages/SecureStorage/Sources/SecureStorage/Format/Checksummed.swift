/// A plain record with a checksum, so that a damaged one is never taken for a true one.
///
/// It keeps out accidents, not attackers: what must be proof against those is sealed.
enum Checksummed {
  private static let length = 16

  static func frame(_ payload: [UInt8]) -> [UInt8] {
    payload + Sodium.hash(payload, length: length)
  }

  /// The payload, or nil where the checksum does not fit.
  static func payload(of framed: [UInt8]) -> [UInt8]? {
    guard framed.count >= length else { return nil }
    let payload = Array(framed.dropLast(length))
    return Sodium.hash(payload, length: length) == Array(framed.suffix(length)) ? payload : nil
  }
}
