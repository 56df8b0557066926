internal import CZlib

/// gzip (RFC 1952) of whole messages.
enum Gzip {
  // zlib's window of 2^15, plus 16 for gzip's header and trailer.
  private static let windowBits: Int32 = 15 + 16

  static func compress(_ bytes: [UInt8]) throws(GRPCStatus) -> [UInt8] {
    var stream = z_stream()
    guard czlib_deflate_init2(&stream, Z_DEFAULT_COMPRESSION, windowBits, 8) == Z_OK else {
      throw GRPCStatus(.internalError, "There is no memory to compress a message.")
    }
    defer { deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    let status = run(&stream, bytes[...], &output, from: 0) { deflate($0, Z_FINISH) }
    guard status == Z_STREAM_END else {
      throw GRPCStatus(.internalError, "A message could not be compressed.")
    }
    output.removeLast(output.count - Int(stream.total_out))
    return output
  }

  /// Inflates, and stops as soon as the result passes `limit`.
  ///
  /// A message is one member of gzip and nothing else: bytes after its end are part of what the
  /// peer meant to say, and dropping them would lose it without a word.
  ///
  /// - Throws: INTERNAL for what is no gzip, is cut short or goes on after its end,
  ///   RESOURCE_EXHAUSTED above the limit.
  static func decompress(_ bytes: [UInt8], limit: Int) throws(GRPCStatus) -> [UInt8] {
    if bytes.isEmpty { return [] }
    var stream = z_stream()
    guard czlib_inflate_init2(&stream, windowBits) == Z_OK else {
      throw GRPCStatus(.internalError, "There is no memory to decompress a message.")
    }
    defer { inflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: min(limit + 1, max(1024, bytes.count * 4)))
    var taken = 0
    var made = 0
    while true {
      let status = run(&stream, bytes[taken...], &output, from: made) { inflate($0, Z_NO_FLUSH) }
      taken = bytes.count - Int(stream.avail_in)
      made = Int(stream.total_out)
      guard made <= limit else {
        throw GRPCStatus(.resourceExhausted, "An inflated message is above \(limit) bytes.")
      }
      if status == Z_STREAM_END {
        guard taken == bytes.count else {
          throw GRPCStatus(.internalError, "A compressed message goes on after its end.")
        }
        break
      }
      // Without room the output grows; with room and nothing left, the rest is missing.
      guard status == Z_OK || status == Z_BUF_ERROR, made == output.count else {
        throw GRPCStatus(.internalError, "A compressed message is damaged or cut short.")
      }
      output.append(contentsOf: repeatElement(0, count: min(limit + 1 - made, output.count)))
    }
    output.removeLast(output.count - made)
    return output
  }

  private static func run(
    _ stream: inout z_stream,
    _ input: ArraySlice<UInt8>,
    _ output: inout [UInt8],
    from start: Int,
    _ step: (UnsafeMutablePointer<z_stream>) -> Int32
  ) -> Int32 {
    // zlib does not write to its input; its type is from before `const`.
    var input = Array(input)
    return input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress.map { $0 + start }
        stream.avail_out = UInt32(target.count - start)
        return step(&stream)
      }
    }
  }
}
