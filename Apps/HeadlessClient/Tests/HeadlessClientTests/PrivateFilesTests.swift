import AuthNetworking
import Testing

@testable import HeadlessClient

@Suite struct PrivateFilesTests {
  @Test func `R14: what cannot be looked at is not taken for absent`() throws {
    #expect(try PrivateFiles.exists("/"))
    #expect(try !PrivateFiles.exists("/no-such-file"))
    #expect(try !PrivateFiles.exists("/dev/null/below-a-file"))
    #expect(throws: ClientError.self) {
      try PrivateFiles.exists("/" + String(repeating: "x", count: 5_000))
    }
  }
}
