import Testing

@testable import HeadlessClient

struct ProfileNameTests {
  @Test(arguments: ["default", "a", "A.b_c-9", String(repeating: "x", count: 64)])
  func `A name of harmless characters is taken as it is`(text: String) {
    #expect(ProfileName(text)?.rawValue == text)
  }

  @Test(arguments: [
    "", ".", "..", "../x", "a/b", "/etc", ".hidden", "-x", "_x", "a b", "ä", "a\nb",
    String(repeating: "x", count: 65),
  ]) func `No name leaves its directory or hides in it`(text: String) {
    #expect(ProfileName(text) == nil)
  }

  @Test func `A NUL, which would cut a path short, is refused`() {
    #expect(ProfileName("a\u{0}b") == nil)
  }
}
