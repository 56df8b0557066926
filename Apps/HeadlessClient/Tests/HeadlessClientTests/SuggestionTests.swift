import Testing

@testable import HeadlessClient

struct SuggestionTests {
  private let words = ["status", "restore", "refresh", "login", "logout", "doctor"]

  @Test(arguments: [
    ("stauts", "status"), ("statu", "status"), ("LOGIN", "login"), ("logotu", "logout"),
    ("refesh", "refresh"), ("doc", "doctor"),
  ]) func `A slip finds the word that was meant`(typed: String, meant: String) {
    #expect(Suggestion.closest(to: typed, among: words) == meant)
  }

  @Test(arguments: ["", "x", "frobnicate", "st"]) func `Another word finds none`(typed: String) {
    #expect(Suggestion.closest(to: typed, among: words) == nil)
  }

  @Test func `Swapped neighbours are one slip`() {
    #expect(Suggestion.distance(Array("ab".utf8), Array("ba".utf8)) == 1)
    #expect(Suggestion.distance(Array("".utf8), Array("abc".utf8)) == 3)
    #expect(Suggestion.distance(Array("kitten".utf8), Array("sitting".utf8)) == 3)
  }
}
