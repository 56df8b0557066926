import AuthNetworking
import Testing

@Suite struct JSONValueTests {
  @Test(
    arguments: [
      ("null", "null"),
      (" true ", "true"),
      ("[]", "[]"),
      ("{}", "{}"),
      (#"{"b":1,"a":[1,2,{"c":null}]}"#, #"{"b":1,"a":[1,2,{"c":null}]}"#),
      (
        "[1.10, 1e400, -0, 123456789012345678901234567890]",
        "[1.10,1e400,-0,123456789012345678901234567890]"
      ),
      (#""\u00e9\ud83d\ude00\/\b""#, #""é😀/\u0008""#),
      (#""\ud83d""#, "\"\u{FFFD}\""),
      (#""\ude00\ud83dx""#, "\"\u{FFFD}\u{FFFD}x\""),
      (#""\ud83d\ud83d\ude00""#, "\"\u{FFFD}😀\""),
      (#"{"a":1,"b":2,"a":3}"#, #"{"a":3,"b":2}"#),
      ("\"\u{2028}\u{9B}\u{7F}\"", #""\u2028\u009b\u007f""#),
      (#""line\nend\t\"\\""#, #""line\nend\t\"\\""#),
      ("\u{FEFF}{}", "{}"),
    ]
  )
  func `JSON is read and printed again on one line`(text: String, printed: String) {
    let value = JSONValue(parsing: text.utf8)
    #expect(value?.text == printed)
    #expect(value.flatMap { JSONValue(parsing: $0.text.utf8) } == value)
  }

  @Test(
    arguments: [
      "", " ", "nul", "tru", "{", "[", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}",
      "01", "-", "1.", ".5", "1e", "+1", "NaN", "Infinity", "'a'", "\"a", "\"\\x\"", "\"\\u12\"",
      "\"\\u12g4\"", "\"\n\"", "\"\\", "1 2", "{} x", "<html></html>", "/*c*/1", "\u{FEFF}",
    ]
  )
  func `what is no JSON is nil, and traps on nothing`(text: String) {
    #expect(JSONValue(parsing: text.utf8) == nil)
  }

  @Test func `bytes that are not UTF-8 are no JSON`() {
    #expect(JSONValue(parsing: [0x22, 0xFF, 0x22]) == nil)
    #expect(JSONValue(parsing: [0x22, 0x5C, 0x6E, 0xC0, 0x22]) == nil)
    #expect(JSONValue(parsing: [0xEF, 0xBB]) == nil)
  }

  @Test func `nesting is read up to a depth, and beyond it refused`() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(JSONValue(parsing: nested(256).utf8) != nil)
    #expect(JSONValue(parsing: nested(100_000).utf8) == nil)
    #expect(JSONValue(parsing: String(repeating: #"{"a":"#, count: 100_000).utf8) == nil)
  }

  @Test func `values are reached by name and index, and absent where they are not`() {
    let value: JSONValue = ["a": [1, "x", true, .null], "n": 9_007_199_254_740_993]
    #expect(value["a"]?[0]?.number?.integer() == 1)
    #expect(value["a"]?[1]?.string == "x")
    #expect(value["a"]?[2]?.bool == true)
    #expect(value["a"]?[3]?.isNull == true)
    #expect(value["a"]?[4] == nil)
    #expect(value["a"]?[-1] == nil)
    #expect(value["b"] == nil)
    #expect(value["a"]?["b"] == nil)
    #expect(value["n"]?.number?.literal == "9007199254740993")
  }

  @Test func `numbers that do not fit are nil`() {
    let value = JSONValue(parsing: "[1e400,9223372036854775808,1.5,-1]".utf8)
    #expect(value?[0]?.number?.double == nil)
    #expect(value?[1]?.number?.integer(as: Int64.self) == nil)
    #expect(value?[1]?.number?.integer(as: UInt64.self) == 9_223_372_036_854_775_808)
    #expect(value?[2]?.number?.integer(as: Int.self) == nil)
    #expect(value?[3]?.number?.integer(as: UInt.self) == nil)
    #expect(JSONNumber(Double.nan) == nil)
    #expect(JSONNumber(1.5)?.literal == "1.5")
    #expect(JSONNumber(3.0)?.literal == "3")
    #expect(JSONNumber(1e30).map { JSONValue(parsing: $0.literal.utf8) } == .number(.init(1e30)!))
  }

  @Test func `members can be set, replaced and removed in order`() {
    var object = JSONObject([("a", 1), ("b", 2)])
    object["c"] = 3
    object["a"] = "one"
    object["b"] = nil
    #expect(JSONValue.object(object).text == #"{"a":"one","c":3}"#)
  }
}
