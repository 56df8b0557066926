#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Why a connection could not be made, or was lost.
public struct ByteStreamError: Error, Equatable, Sendable {
  /// What went wrong, for programs.
  public enum Kind: String, Sendable {
    /// The name does not resolve, nothing answers there, or the connection broke.
    case network

    /// The time that was given is over.
    case timeout

    /// TLS could not be agreed on: certificate, host name, dates, version, or no `h2`.
    case tls

    /// The chain is good, but the server's key is none of the pinned ones.
    case pinMismatch

    /// The caller went away.
    case cancelled

    /// A certificate, key or address given by the caller is unusable.
    case configuration
  }

  /// What went wrong, for programs.
  public let kind: Kind

  /// What went wrong, in one sentence for people.
  public let message: String

  /// An error of this kind.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  static func system(_ call: String, _ code: Int32) -> ByteStreamError {
    ByteStreamError(.network, "\(call): \(systemMessage(code))")
  }

  /// Why a connection that was there is not any more.
  static func broken(_ call: String, _ code: Int32) -> ByteStreamError {
    guard code == ECONNRESET || code == EPIPE else { return system(call, code) }
    return ByteStreamError(.network, "The peer closed the connection.")
  }
}

extension ByteStreamError: CustomStringConvertible {
  /// The same as ``message``.
  public var description: String { message }
}
