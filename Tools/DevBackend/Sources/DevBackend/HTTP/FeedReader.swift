internal import CMicrohttpd

/// Hands a feed's bytes to libmicrohttpd, as much as it has room for; used by one thread.
final class FeedReader {
  private let feed: any ResponseFeed
  private var rest: ArraySlice<UInt8> = []

  private init(_ feed: any ResponseFeed) { self.feed = feed }

  /// A response that goes on until the feed ends; nil where there is no memory for it.
  static func response(of feed: any ResponseFeed) -> OpaquePointer? {
    let context = Unmanaged.passRetained(FeedReader(feed))
    let made = MHD_create_response_from_callback(
      // The size is not known.
      UInt64.max,
      16_384,
      { context, _, buffer, size in
        guard let context, let buffer else { return -2 }
        let reader = Unmanaged<FeedReader>.fromOpaque(context).takeUnretainedValue()
        // -1 ends the body.
        return reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size)) ?? -1
      },
      context.toOpaque(),
      { context in
        guard let context else { return }
        let reader = Unmanaged<FeedReader>.fromOpaque(context).takeRetainedValue()
        reader.feed.close()
      }
    )
    if made == nil {
      feed.close()
      context.release()
    }
    return made
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    if rest.isEmpty {
      guard let next = feed.next() else { return nil }
      rest = next[...]
    }
    let count = min(rest.count, buffer.count)
    buffer.copyBytes(from: rest.prefix(count))
    rest = rest.dropFirst(count)
    return count
  }
}
