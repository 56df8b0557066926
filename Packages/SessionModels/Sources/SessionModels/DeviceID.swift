/// The id of this install, made once at first launch, which the backend binds tokens to.
public struct DeviceID: RawRepresentable, Hashable, Sendable, Codable {
  /// The id as it is sent.
  public let rawValue: String

  /// An id from its text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The constant that SkyConnect's first client sent.
  ///
  /// It cannot tell devices apart; it is here for backends that insist on it.
  public static let mobileApp = DeviceID(rawValue: "mobile-app")

  /// A fresh id: 128 random bits in hexadecimal.
  public static func random(using generator: inout some RandomNumberGenerator) -> DeviceID {
    DeviceID(high: generator.next(), low: generator.next())
  }

  /// A fresh id from the system's generator: 128 random bits in hexadecimal.
  public static func random() -> DeviceID {
    DeviceID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
  }

  private init(high: UInt64, low: UInt64) {
    let digits = [high, low].map { half in
      let text = String(half, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    self.init(rawValue: digits.joined())
  }
}

extension DeviceID: CustomStringConvertible {
  /// The id as it is sent.
  public var description: String { rawValue }
}
