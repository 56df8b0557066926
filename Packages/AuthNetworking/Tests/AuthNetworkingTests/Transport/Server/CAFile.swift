#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs a test with a file that holds an authority's certificate.
func withCAFile<Result>(
  _ authority: TestIdentity,
  _ body: (String) async throws -> Result
) async throws -> Result {
  let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
  try Data(authority.pem.utf8).write(to: file)
  defer { try? FileManager.default.removeItem(at: file) }
  return try await body(file.path)
}
