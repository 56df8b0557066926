import SecureStorage
import Testing

/// Expects a ``StorageError`` of one code.
func expect<Result>(
  _ code: StorageError.Code,
  _ body: () async throws -> Result,
  sourceLocation: SourceLocation = #_sourceLocation
) async {
  do {
    _ = try await body()
    Issue.record("nothing was thrown, \(code) was expected", sourceLocation: sourceLocation)
  } catch let error as StorageError {
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
  } catch {
    Issue.record("\(error)", sourceLocation: sourceLocation)
  }
}
