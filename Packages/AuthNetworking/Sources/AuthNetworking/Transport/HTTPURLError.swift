/// Why a text is no URL that a request may be sent to.
public struct HTTPURLError: Error, Equatable, Sendable {
  /// What is wrong, for programs.
  public let reason: Reason

  /// What is wrong, for programs.
  public enum Reason: String, Sendable, CaseIterable {
    /// The scheme is neither `http` nor `https`.
    case scheme
    /// A user name or password stands before the host.
    case userInfo
    /// The host is empty, or neither a name nor an address in its usual form.
    case host
    /// The host has characters beyond ASCII.
    case internationalHost
    /// The port is no number of 1 to 65535.
    case port
    /// A control character, a space, a backslash or another character that no URL may hold.
    case character
    /// A `%` without two hexadecimal digits after it.
    case percentEncoding
    /// A `.` or `..` segment in a path that is joined to a base.
    case dotSegment
  }

  /// An error of a kind.
  public init(_ reason: Reason) { self.reason = reason }

  /// What is wrong, for people.
  ///
  /// Does not quote the text, which may hold a secret.
  public var message: String {
    switch reason {
    case .scheme: "The URL must begin with http:// or https://"
    case .userInfo: "The URL must not hold a user name or password"
    case .host: "The URL's host is neither a name nor an address in its usual form"
    case .internationalHost: "Write the URL's host in its ASCII form (xn--…)"
    case .port: "The URL's port must be a number from 1 to 65535"
    case .character: "The URL holds a character that must be percent-encoded"
    case .percentEncoding: "The URL holds a % without two hexadecimal digits after it"
    case .dotSegment: "The path must not hold . or .. as a segment"
    }
  }
}

extension HTTPURLError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
