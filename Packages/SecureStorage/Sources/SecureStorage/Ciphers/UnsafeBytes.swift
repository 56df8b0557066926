extension UnsafeRawBufferPointer {
  /// The beginning as the C libraries take it; nil may stand for no byte.
  var bytes: UnsafePointer<UInt8>? { bindMemory(to: UInt8.self).baseAddress }
}

extension UnsafeMutableRawBufferPointer {
  /// The beginning as the C libraries take it; nil may stand for no byte.
  var bytes: UnsafeMutablePointer<UInt8>? { bindMemory(to: UInt8.self).baseAddress }
}
