import SessionModels
import Testing

@Suite struct DisclosedTests {
  private struct Holder: Codable, Equatable {
    enum CodingKeys: String, CodingKey { case value }

    var value: Disclosed<Int>

    init(_ value: Disclosed<Int>) { self.value = value }

    init(from decoder: any Decoder) throws {
      value = try decoder.container(keyedBy: CodingKeys.self).decodeDisclosed(
        Int.self,
        forKey: .value
      )
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeDisclosed(value, forKey: .value)
    }
  }

  @Test(arguments: [
    ("{}", Disclosed<Int>.hidden), (#"{"value":null}"#, .none), (#"{"value":7}"#, .value(7)),
  ])
  func `each of the three states has its own form`(json: String, state: Disclosed<Int>) throws {
    #expect(try decode(Holder.self, json) == Holder(state))
    #expect(try encode(Holder(state)) == json)
  }

  @Test func `a value of another type is an error, not a hidden one`() {
    #expect(throws: DecodingError.self) { try decode(Holder.self, #"{"value":"7"}"#) }
  }

  @Test func `hidden and none have no value, and are not equal`() {
    #expect(Disclosed<Int>.hidden.value == nil)
    #expect(Disclosed<Int>.none.value == nil)
    #expect(Disclosed.value(7).value == 7)
    #expect(Set([Disclosed<Int>.hidden, .none, .value(7)]).count == 3)
  }
}
