import AuthNetworking
import Testing

@Suite struct HTTPURLTests {
  @Test(
    arguments: [
      ("http://localhost", "http://localhost/"),
      ("HTTP://LocalHost:80/", "http://localhost/"),
      ("https://Example.COM:443/a/B?q=1#part", "https://example.com/a/B?q=1"),
      ("https://example.com:8443", "https://example.com:8443/"),
      ("https://example.com:/x", "https://example.com/x"),
      ("http://[0:0:0:0:0:0:0:1]:3001/x", "http://[::1]:3001/x"),
      ("http://[2001:DB8::1]/", "http://[2001:db8::1]/"),
      ("http://host?x=1", "http://host/?x=1"),
      ("http://127.0.0.1:1/%2F//a/../b", "http://127.0.0.1:1/%2F//a/../b"),
      ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
      ("http://example.com./", "http://example.com./"),
    ]
  )
  func `a URL keeps its path and query and has one form for its origin`(
    text: String,
    canonical: String
  ) throws {
    #expect(try HTTPURL(parsing: text).text == canonical)
    #expect(HTTPURL(canonical)?.text == canonical)
  }

  @Test(
    arguments: [
      ("", HTTPURLError.Reason.scheme),
      ("ftp://host/", .scheme),
      ("//host/", .scheme),
      ("/path", .scheme),
      ("http:/host", .scheme),
      (" http://host", .scheme),
      ("http://user@host/", .userInfo),
      ("http://user:secret@host/", .userInfo),
      ("http://", .host),
      ("http://:80/", .host),
      ("http:///path", .host),
      ("http://ho st/", .host),
      ("http://a..b/", .host),
      ("http://host%41/", .host),
      ("http://host\\evil/", .host),
      ("http://[::1/", .host),
      ("http://[::1%25eth0]/", .host),
      ("http://[127.0.0.1]/", .host),
      ("http://127.1/", .host),
      ("http://2130706433/", .host),
      ("http://0x7f.0.0.1/", .host),
      ("http://127.0.0.256/", .host),
      ("http://127.0.0.01/", .host),
      ("http://bücher.example/", .internationalHost),
      ("http://host:0/", .port),
      ("http://host:65536/", .port),
      ("http://host:99999999999999999999/", .port),
      ("http://host:+80/", .port),
      ("http://host:8o/", .port),
      ("http://[::1]80/", .port),
      ("http://host/a b", .character),
      ("http://host/a\r\nX: y", .character),
      ("http://host/\u{0}", .character),
      ("http://host/a\\b", .character),
      ("http://host/ü", .character),
      ("http://host/100%", .percentEncoding),
      ("http://host/%4", .percentEncoding),
      ("http://host/%zz", .percentEncoding),
    ]
  )
  func `what is no clear URL is refused, with the reason`(
    text: String,
    reason: HTTPURLError.Reason
  ) {
    #expect(throws: HTTPURLError(reason)) { try HTTPURL(parsing: text) }
    #expect(HTTPURL(text) == nil)
    #expect(!HTTPURLError(reason).message.isEmpty)
  }

  @Test(
    arguments: [
      ("https://example.com/", true),
      ("http://localhost:3001/", true),
      ("http://127.0.0.1/", true),
      ("http://127.255.0.3/", true),
      ("http://[::1]/", true),
      ("http://example.com/", false),
      ("http://localhost.example/", false),
      ("http://127.example/", false),
      ("http://128.0.0.1/", false),
      ("http://[::ffff:127.0.0.1]/", false),
    ]
  )
  func `R8: plain http is for this machine only`(text: String, isAllowed: Bool) throws {
    #expect(try HTTPURL(parsing: text).isSecureOrLoopback == isAllowed)
  }

  @Test(
    arguments: [
      ("http://localhost/", "http://127.0.0.1/"),
      ("http://host/", "https://host/"),
      ("https://host/", "https://host:8443/"),
      ("https://host/", "https://www.host/"),
    ]
  )
  func `R8: another scheme, host or port is another origin`(left: String, right: String) throws {
    #expect(try HTTPURL(parsing: left).origin != HTTPURL(parsing: right).origin)
  }

  @Test(
    arguments: [
      ("https://HOST/a", "https://host:443/b?c"),
      ("http://[::0001]:80/", "http://[::1]/x"),
    ]
  )
  func `the same origin in other words is the same`(left: String, right: String) throws {
    #expect(try HTTPURL(parsing: left).origin == HTTPURL(parsing: right).origin)
  }
}
