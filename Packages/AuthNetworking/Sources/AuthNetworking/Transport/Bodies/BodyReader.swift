/// Hands a body to a transport, piece by piece; used by one thread at a time.
protocol BodyReader: AnyObject {
  /// Fills a buffer as far as there is something.
  ///
  /// - Returns: how many bytes; 0 at the end; nil where there is nothing yet: whoever made the
  ///   reader is woken when there is.
  /// - Throws: ``TransportError/Code/body``.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int?

  /// Goes back to the beginning; false where that cannot be.
  func rewind() -> Bool

  /// Gives up what it holds; it is not read any more.
  func close()
}
