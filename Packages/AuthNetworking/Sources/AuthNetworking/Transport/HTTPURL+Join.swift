extension HTTPURL {
  /// Joins a path to this base: the one way in which paths become URLs.
  ///
  /// - The path is always below the base, whose own path (`/api`) is kept: exactly one `/` stands
  ///   between the two, however many the base ends or the path begins with. So `//host/x` names
  ///   no other host, it is `/host/x`.
  /// - What is percent-encoded stays so, and is not encoded again; spaces, characters beyond
  ///   ASCII and `"<>^{|}` and the backtick are encoded.
  /// - A `?` begins the query, which stays as it is; the base's own query is not carried over.
  ///   A fragment is dropped.
  /// - Text that begins with `http://` or `https://` is a URL of its own, and is returned as it is.
  ///
  /// - Throws: ``HTTPURLError`` for a control character or backslash, a `%` that encodes nothing,
  ///   a `.` or `..` segment, encoded or not, and another scheme.
  public func appending(path: String) throws(HTTPURLError) -> HTTPURL {
    if URLCharacters.isPlain(path) {
      return HTTPURL(origin: origin, target: target == "/" ? path : joinedBase + path)
    }
    return try appending(anyPath: path)
  }

  /// As ``appending(path:)``, for paths that hold anything.
  func appending(anyPath path: String) throws(HTTPURLError) -> HTTPURL {
    var bytes = Array(path.utf8)[...]
    if HTTPURL.takeScheme(&bytes) != nil { return try HTTPURL(parsing: path) }
    if URLCharacters.beginsWithScheme(bytes) { throw HTTPURLError(.scheme) }
    let reference = try URLCharacters.encoded(bytes.prefix { $0 != UInt8(ascii: "#") })
    let addedPath = reference.prefix { $0 != UInt8(ascii: "?") }
    let query = reference[addedPath.endIndex...]
    let segments = addedPath.split(separator: UInt8(ascii: "/"))
    guard !segments.contains(where: URLCharacters.isDotSegment) else {
      throw HTTPURLError(.dotSegment)
    }
    return HTTPURL(origin: origin, target: joined(addedPath) + HTTPURL.text(query))
  }

  /// One path segment of any text, such as an id: what could end or split it is percent-encoded.
  ///
  /// - Returns: the segment; one of dots only stays as it is, and is refused by
  ///   ``appending(path:)``.
  public static func segment(_ text: String) -> String { URLCharacters.segment(text) }

  private func joined(_ addedPath: ArraySlice<UInt8>) -> String {
    if addedPath.isEmpty { return String(path) }
    return joinedBase + "/" + HTTPURL.text(addedPath.drop { $0 == UInt8(ascii: "/") })
  }

  /// The base's own path without a `/` at its end.
  private var joinedBase: String {
    var base = path.utf8[...]
    while base.last == UInt8(ascii: "/") { base.removeLast() }
    return String(Substring(base))
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
