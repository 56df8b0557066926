#if canImport(CCurl)
internal import CZlib

/// Unpacks the gzip body of an answer (RFC 1952) as it comes, and knows whether it came whole.
///
/// libcurl unpacks, too, but takes a body that breaks off for one that has ended.
final class GzipDecoder {
  /// What came of some bytes.
  enum Outcome: Equatable {
    case taken
    /// Whoever gets the unpacked bytes wants no more.
    case refused
    /// They are no gzip.
    case broken
  }

  // zlib's own pointer to it goes into its state: it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let output: UnsafeMutableRawBufferPointer

  /// Whether all that has come is whole: nothing, or members up to their trailers.
  private(set) var isWhole = true

  // zlib's window of 2^15, plus 16 for gzip's header and trailer.
  private static let windowBits: Int32 = 15 + 16
  private static let outputSize = 16 << 10

  /// A decoder; nil where there is no memory.
  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard czlib_inflate_init2(stream, GzipDecoder.windowBits) == Z_OK else {
      stream.deallocate()
      return nil
    }
    output = .allocate(byteCount: GzipDecoder.outputSize, alignment: 1)
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    // Answers hold tokens.
    output.baseAddress?.wipe(output.count)
    output.deallocate()
  }

  /// Takes a piece of the packed body.
  ///
  /// - Parameters:
  ///   - bytes: the piece.
  ///   - give: gets what is in it, piece by piece, and says whether it wants more.
  /// - Returns: whether more can follow.
  func take(
    _ bytes: UnsafeRawBufferPointer,
    _ give: (UnsafeRawBufferPointer) -> Bool
  ) -> Outcome {
    // zlib does not write to its input; its type is from before `const`.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    )
    stream.pointee.avail_in = UInt32(bytes.count)
    while true {
      if isWhole {
        // One member may follow another.
        guard stream.pointee.avail_in > 0 else { return .taken }
        inflateReset(stream)
        isWhole = false
      }
      stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(output.count)
      let status = inflate(stream, Z_NO_FLUSH)
      let made = output.count - Int(stream.pointee.avail_out)
      if made > 0, !give(UnsafeRawBufferPointer(rebasing: output[..<made])) { return .refused }
      switch status {
      case Z_STREAM_END: isWhole = true
      case Z_OK where stream.pointee.avail_out == 0: continue
      case Z_OK, Z_BUF_ERROR: return .taken
      default: return .broken
      }
    }
  }
}
#endif
