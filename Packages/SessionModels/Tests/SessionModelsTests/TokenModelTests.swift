import SessionModels
import Testing

@Suite struct TokenModelTests {
  @Test func `the names are those of the command line`() throws {
    #expect(TokenModel.allCases.map(\.rawValue) == ["access-refresh", "opaque"])
    #expect(try decode([TokenModel].self, #"["opaque"]"#) == [.opaque])
  }

  @Test func `it is never guessed: another name is an error`() {
    #expect(throws: DecodingError.self) { try decode([TokenModel].self, #"["newer"]"#) }
  }
}
