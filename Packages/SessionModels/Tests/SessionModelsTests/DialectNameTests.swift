import SessionModels
import Testing

@Suite struct DialectNameTests {
  @Test(arguments: [(DialectName.skyConnect, "skyconnect"), (.ksn, "ksn")])
  func `the names are those of the command line`(dialect: DialectName, text: String) throws {
    #expect(dialect.rawValue == text)
    #expect("\(dialect)" == text)
    #expect(try encode([dialect]) == "[\"\(text)\"]")
  }

  @Test func `a name that this build does not know is kept`() throws {
    let dialect = try decode([DialectName].self, #"["newer"]"#)
    #expect(try encode(dialect) == #"["newer"]"#)
  }
}
