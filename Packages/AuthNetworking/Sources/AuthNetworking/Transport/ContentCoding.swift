/// How the body of an answer is packed (RFC 9110, section 8.4).
enum ContentCoding: Equatable {
  case none
  case gzip
  /// One that nobody asked for.
  case other(String)

  /// What the head of an answer says.
  init(_ headers: HTTPHeaders) {
    var names: [String] = []
    for (name, value) in headers.fields where HTTPHeaders.isSame(name, "Content-Encoding") {
      names += value.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
    }
    names.removeAll { $0 == "identity" }
    self =
      switch names {
      case []: .none
      case ["gzip"], ["x-gzip"]: .gzip
      default: .other(names.joined(separator: ", "))
      }
  }
}
