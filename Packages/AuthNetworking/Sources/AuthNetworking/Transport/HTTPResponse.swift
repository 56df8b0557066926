#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An answer with its whole body.
public struct HTTPResponse: Equatable, Sendable {
  /// The status code.
  public var status: Int
  /// The header fields; those of a last redirect only.
  public var headers: HTTPHeaders
  /// The body after content decoding.
  public var body: [UInt8]
  /// How many bytes of the body went into ``HTTPRequest/destination``; nil where none was to.
  public var savedBytes: Int64?
  /// What the server's clock showed when an answer without `Date` came, as far as was known; nil
  /// where nobody noted it.
  ///
  /// ``SessionController`` notes it where ``retryAfter(now:)`` needs it.
  public var receivedAt: Date?

  /// An answer from its parts.
  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
  /// Status and size; never the body, which may hold tokens (R9).
  public var description: String { "\(status), \(body.count) bytes" }

  /// Shows the description only.
  public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
