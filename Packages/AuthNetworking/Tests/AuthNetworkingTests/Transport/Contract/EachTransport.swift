import Testing

/// Runs each test of a suite once against every transport of this system, as
/// ``TransportUnderTest/current``.
struct EachTransport: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  @concurrent
  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    for transport in TransportUnderTest.all {
      try await TransportUnderTest.$current.withValue(transport) { try await function() }
    }
  }
}

extension Trait where Self == EachTransport {
  /// Runs each test once against every transport.
  static var eachTransport: EachTransport { EachTransport() }
}
