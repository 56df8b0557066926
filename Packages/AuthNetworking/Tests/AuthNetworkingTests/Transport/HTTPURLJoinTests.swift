import Testing

@testable import AuthNetworking

@Suite struct HTTPURLJoinTests {
  @Test(
    arguments: [
      ("http://h", "users/me", "http://h/users/me"),
      ("http://h", "/users/me", "http://h/users/me"),
      ("http://h/api", "/users/me", "http://h/api/users/me"),
      ("http://h/api/", "users/me", "http://h/api/users/me"),
      ("http://h/api//", "//users/me", "http://h/api/users/me"),
      ("http://h/api", "", "http://h/api"),
      ("http://h/api", "/", "http://h/api/"),
      ("http://h/api", "users/", "http://h/api/users/"),
      ("http://h/api", "a//b", "http://h/api/a//b"),
      ("http://h", "//evil.example/x", "http://h/evil.example/x"),
      ("http://h/api", "///evil.example/x", "http://h/api/evil.example/x"),
      ("http://h", "@evil.example/x", "http://h/@evil.example/x"),
      ("http://h", ":80/x", "http://h/:80/x"),
      ("http://h", "mailto:x", "http://h/mailto:x"),
      ("http://h/api", "a?x=1", "http://h/api/a?x=1"),
      ("http://h/api", "?x=1", "http://h/api?x=1"),
      ("http://h/api?old=1", "a?x=1", "http://h/api/a?x=1"),
      ("http://h", "a?next=//evil.example/../x", "http://h/a?next=//evil.example/../x"),
      ("http://h", "a?b=http://c/", "http://h/a?b=http://c/"),
      ("http://h/api", "a%2Fb", "http://h/api/a%2Fb"),
      ("http://h", "a%20b%2525", "http://h/a%20b%2525"),
      ("http://h", "a b", "http://h/a%20b"),
      ("http://h", "müller|x", "http://h/m%C3%BCller%7Cx"),
      ("http://h", "a?ids[]=1", "http://h/a?ids[]=1"),
      ("http://h", "a#part", "http://h/a"),
      ("http://h", "...", "http://h/..."),
      ("http://h", "a/.b/c..", "http://h/a/.b/c.."),
    ]
  )
  func `R8: a joined path stays below the base and is encoded at most once`(
    base: String,
    path: String,
    expected: String
  ) throws {
    let url = try HTTPURL(parsing: base).appending(path: path)
    #expect(url.text == expected)
    #expect(HTTPURL(url.text) == url)
  }

  @Test(
    arguments: [
      ("..", HTTPURLError.Reason.dotSegment),
      ("/a/../../admin", .dotSegment),
      ("a/./b", .dotSegment),
      ("a/%2e%2E/b", .dotSegment),
      ("a/.%2e", .dotSegment),
      ("\\\\evil.example\\x", .character),
      ("a\\..\\b", .character),
      ("a\nb", .character),
      ("a\r\nHost: evil", .character),
      ("a\u{0}", .character),
      ("a\u{7F}", .character),
      ("a?b=\tc", .character),
      ("100%", .percentEncoding),
      ("a%zz", .percentEncoding),
      ("ftp://evil.example/", .scheme),
      ("https+unix://x", .scheme),
      ("http://user@evil.example/", .userInfo),
    ]
  )
  func `R8: a path that could be read in two ways is refused`(
    path: String,
    reason: HTTPURLError.Reason
  ) throws {
    let base = try HTTPURL(parsing: "https://host/api")
    #expect(throws: HTTPURLError(reason)) { try base.appending(path: path) }
  }

  @Test(arguments: ["https://other.example:8443/x?y=1", "HTTP://host/"])
  func `an absolute URL is its own`(text: String) throws {
    let base = try HTTPURL(parsing: "https://host/api")
    #expect(try base.appending(path: text) == HTTPURL(parsing: text))
  }

  /// Every text of up to five of some letters, each of which means something in a URL.
  private static let texts: [String] = {
    var texts = [""]
    var longest = texts
    for _ in 0..<5 {
      longest = longest.flatMap { text in "/a.?%#:".map { "\(text)\($0)" } }
      texts += longest
    }
    return texts
  }()

  @Test(arguments: ["http://h", "http://h/api", "http://h/api//", "http://h/?old=1"])
  func `R8: a path that needs no closer look becomes what a closer look makes of it`(
    base: String
  ) throws {
    func result(_ make: () throws -> HTTPURL) -> Result<HTTPURL, HTTPURLError> {
      Result { try make() }.mapError { $0 as? HTTPURLError ?? HTTPURLError(.host) }
    }
    let base = try HTTPURL(parsing: base)
    var plain = 0
    for text in HTTPURLJoinTests.texts where URLCharacters.isPlain(text) {
      plain += 1
      let quick = result { try base.appending(path: text) }
      let close = result { try base.appending(anyPath: text) }
      #expect(quick == close, "\(text)")
    }
    #expect(plain > 50)
  }
}
