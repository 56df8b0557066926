/// Bytes from hexadecimal digits; whatever is no digit is left out.
func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}

extension ClosedRange<UInt8> {
  /// The numbers of the range, as bytes.
  var bytes: [UInt8] { Array(self) }
}
