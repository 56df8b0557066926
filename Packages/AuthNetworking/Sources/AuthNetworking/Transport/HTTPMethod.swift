/// An HTTP method (RFC 9110).
///
/// Any token is one; the usual ones have names.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
  /// The method as it stands in the request line.
  public let rawValue: String

  /// A method by its name, which is case-sensitive.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `GET`.
  public static let get = HTTPMethod(rawValue: "GET")
  /// `HEAD`.
  public static let head = HTTPMethod(rawValue: "HEAD")
  /// `POST`.
  public static let post = HTTPMethod(rawValue: "POST")
  /// `PUT`.
  public static let put = HTTPMethod(rawValue: "PUT")
  /// `PATCH`.
  public static let patch = HTTPMethod(rawValue: "PATCH")
  /// `DELETE`.
  public static let delete = HTTPMethod(rawValue: "DELETE")
}

extension HTTPMethod {
  /// Whether sending twice is as good as sending once (RFC 9110, section 9.2.2).
  public var isIdempotent: Bool {
    ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(rawValue)
  }
}
