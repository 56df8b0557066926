import Testing

@testable import DevBackend
@testable import DevBackendCluster

/// Runs each test of a suite once for each database that a backend can stand on.
struct EachDatabase: SuiteTrait, TestTrait, TestScoping {
  enum Kind: Sendable {
    case sqlite
    case postgreSQL
  }

  /// What ``Fixture`` gives a backend whose test does not choose.
  @TaskLocal static var kind = Kind.sqlite

  var isRecursive: Bool { true }

  func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await function()
    try await Self.$kind.withValue(.postgreSQL) { try await function() }
  }
}

extension Trait where Self == EachDatabase {
  static var onEachDatabase: Self { Self() }
}

extension BackendConfiguration {
  /// Puts a backend on the database that its test runs for.
  mutating func useDatabaseOfTest() async throws {
    guard EachDatabase.kind == .postgreSQL else { return }
    database = try await PostgreSQLServer.shared.value.makeDatabase()
    // Without a clock of its own: the test's stands still.
    connector = ClusterLibraries(clock: nil)
  }
}
