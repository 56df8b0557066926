#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The keys that a server may have, until when, and what happens where it has another one: pure.
///
/// - While at least one pin has not expired, a server must have the key of one that has not.
/// - When all have expired nothing is enforced: an app that nobody updated must not lose its
///   backend for ever. So does Android's network security configuration with an expired pin set.
///   A device whose clock is set past the dates pins nothing, so pins guard against a false
///   authority, not against the device's owner.
/// - A pin is checked besides chain, host name and dates, never instead of them.
/// - Plain `http` has no key: it is refused as long as something is enforced.
public struct PinPolicy: Equatable, Sendable {
  /// One key, and until when it counts.
  public struct Pin: Hashable, Sendable {
    /// The key.
    public var key: SPKIPin
    /// When it stops counting; nil for never.
    public var expires: Date?

    /// A pin from its parts.
    public init(_ key: SPKIPin, expires: Date? = nil) {
      self.key = key
      self.expires = expires
    }
  }

  /// What happens where a server's key is none of the pinned ones.
  public enum Mode: Hashable, Sendable {
    /// Nothing is sent: ``TransportError/Code/pinMismatch``; and it is reported.
    case enforced
    /// It is reported, and the request goes on: for trying out pins before they are enforced.
    case reportOnly
  }

  /// The pins, any of them; none for every key that the roots vouch for.
  public var pins: [Pin]
  /// What happens where none fits.
  public var mode: Mode

  /// A policy from its parts.
  public init(_ pins: [Pin], mode: Mode = .enforced) {
    self.pins = pins
    self.mode = mode
  }

  /// No pins.
  public static let none = PinPolicy([])

  /// The keys that count at an instant, in their order; empty where nothing is checked.
  public func keys(at now: Date) -> [SPKIPin] {
    pins.filter { pin in pin.expires.map { now < $0 } ?? true }.map(\.key)
  }

  /// Whether something is enforced at an instant.
  public func isEnforced(at now: Date) -> Bool { mode == .enforced && !keys(at: now).isEmpty }

  /// What a server's key is at an instant.
  public func verdict(on key: SPKIPin, at now: Date) -> Verdict {
    let keys = keys(at: now)
    return keys.isEmpty || keys.contains(key) ? .accepted : mode == .enforced ? .refused : .reported
  }

  /// What a server's key is.
  public enum Verdict: Hashable, Sendable {
    /// It is pinned, or nothing is.
    case accepted
    /// It is not pinned; nothing is sent.
    case refused
    /// It is not pinned; that is reported only.
    case reported
  }
}
