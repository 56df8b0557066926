import AuthNetworking
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A transport that the contract's tests are run against: every one that this system has.
struct TransportUnderTest: Sendable, CustomTestStringConvertible {
  /// Whom a transport trusts.
  struct Trust: Sendable {
    var caFile: String?
    var pinning = PinPolicy.none
    var onPinMismatch: @Sendable (PinReport) -> Void = { _ in }
    var now: @Sendable () -> Date = { Date() }
  }

  /// The one that a test runs against, in suites with the trait ``EachTransport``; the first
  /// elsewhere.
  @TaskLocal static var current = all[0]

  let testDescription: String
  /// Makes a new one.
  let make: @Sendable (Trust) throws(TransportError) -> any HTTPTransport

  /// Every transport of this system.
  static let all: [TransportUnderTest] = {
    var all: [TransportUnderTest] = []
    #if os(Linux) || os(Android) || os(macOS)
    all.append(
      TransportUnderTest(testDescription: "CurlTransport") { trust throws(TransportError) in
        var configuration = CurlConfiguration.unhurried(caFile: trust.caFile)
        configuration.pinning = trust.pinning
        configuration.onPinMismatch = trust.onPinMismatch
        configuration.now = trust.now
        return try CurlTransport(configuration)
      }
    )
    #endif
    #if canImport(Darwin)
    all.append(
      TransportUnderTest(testDescription: "URLSessionTransport") { trust throws(TransportError) in
        try URLSessionTransport(
          caFile: trust.caFile,
          pinning: trust.pinning,
          onPinMismatch: trust.onPinMismatch,
          now: trust.now
        )
      }
    )
    #endif
    return all
  }()

  /// A new transport that trusts the system's roots, and any key.
  func callAsFunction() throws(TransportError) -> any HTTPTransport { try make(Trust()) }
}
