import AuthNetworking
import Testing

/// A transport that the contract's tests are run against: every one that this system has.
struct TransportUnderTest: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// A new transport that trusts these roots, or the system's.
  let make: @Sendable (_ caFile: String?, PinPolicy) throws(TransportError) -> any HTTPTransport

  /// Every transport of this system.
  static let all: [TransportUnderTest] = {
    var all: [TransportUnderTest] = []
    #if canImport(CCurl)
    all.append(
      TransportUnderTest(testDescription: "CurlTransport") {
        caFile,
        pinning throws(TransportError) in
        var configuration = CurlConfiguration.unhurried(caFile: caFile)
        configuration.pinning = pinning
        return try CurlTransport(configuration)
      }
    )
    #endif
    #if canImport(Darwin)
    all.append(
      TransportUnderTest(testDescription: "URLSessionTransport") {
        caFile,
        pinning throws(TransportError) in
        try URLSessionTransport(caFile: caFile, pinning: pinning)
      }
    )
    #endif
    return all
  }()

  /// A new transport that trusts the system's roots, and any key.
  func callAsFunction() throws(TransportError) -> any HTTPTransport { try make(nil, .none) }
}
