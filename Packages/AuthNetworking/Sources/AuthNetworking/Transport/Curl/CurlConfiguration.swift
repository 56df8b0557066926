#if canImport(CCurl)
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Whom a ``CurlTransport`` trusts.
public struct CurlConfiguration: Sendable {
  /// A PEM file of the roots to trust instead of the system's; nil for the system's.
  public var caFile: String?
  /// The keys that a server may have; no pins for all that the roots vouch for.
  ///
  /// While a pin is enforced nothing is sent over plain `http`, which has no key to be checked.
  public var pinning: PinPolicy
  /// Told of each new connection to a server whose key is not pinned, on the transport's thread:
  /// return soon.
  ///
  /// In ``PinPolicy/Mode/reportOnly`` the request goes on; a resumed TLS session is no new one.
  public var onPinMismatch: @Sendable (PinReport) -> Void = { _ in }
  /// What time it is, for pins that expire.
  public var now: @Sendable () -> Date = { Date() }
  /// How long a kept connection may have been idle and still gets a request that must not be
  /// sent twice, a `POST` above all.
  ///
  /// In whole seconds; 0 gives each such request a new connection. Keep it below the time after
  /// which the server closes idle connections; most wait for 5 s and more.
  public var longestIdleBeforePost = 2

  /// A configuration of roots and of pins that are enforced and never expire.
  public init(caFile: String? = nil, pins: [SPKIPin] = []) {
    self.caFile = caFile
    pinning = PinPolicy(pins.map { PinPolicy.Pin($0) })
  }
}
#endif
