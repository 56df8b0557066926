import Foundation
import Testing

@testable import DevBackend

/// Heads that two servers in a row could understand differently.
@Suite struct RequestFramingTests {
  private static let length = HTTPHeader("Content-Length", "2")
  private static let chunked = HTTPHeader("Transfer-Encoding", "chunked")
  private static let host = HTTPHeader("Host", "x")

  @Test(
    arguments: [
      ([host], nil), ([host, length], nil), ([host, chunked], nil),
      ([host, HTTPHeader("transfer-encoding", "Chunked")], nil),
      ([host, HTTPHeader("Content-Length", "02")], nil),
      ([host, length, length], .repeatedLength),
      ([host, length, HTTPHeader("content-length", "5")], .repeatedLength),
      ([host, length, chunked], .lengthAndEncoding),
      ([host, chunked, HTTPHeader("CONTENT-LENGTH", "2")], .lengthAndEncoding),
      ([host, HTTPHeader("Content-Length", "+2")], .noLength),
      ([host, HTTPHeader("Content-Length", "-2")], .noLength),
      ([host, HTTPHeader("Content-Length", "2, 2")], .noLength),
      ([host, HTTPHeader("Content-Length", "0x2")], .noLength),
      ([host, HTTPHeader("Content-Length", "٢")], .noLength),
      ([host, HTTPHeader("Content-Length", "")], .noLength),
      ([host, chunked, chunked], .repeatedEncoding),
      ([host, HTTPHeader("Transfer-Encoding", "gzip, chunked")], .unknownEncoding),
      ([host, HTTPHeader("Transfer-Encoding", "identity")], .unknownEncoding),
      ([host, HTTPHeader("Transfer-Encoding", "\u{B}chunked")], .unknownEncoding),
      ([host, host], .repeatedHost), ([length], .missingHost),
      ([host, HTTPHeader("Transfer-Encoding ", "chunked")], .oddName),
      ([host, HTTPHeader(" Content-Length", "2")], .oddName),
      ([host, HTTPHeader("Content-Length5", "")], .oddName),
      ([host, HTTPHeader("X-ATransfer-Encoding: chunked", "1")], .oddName),
      ([host, HTTPHeader("X\u{1}", "1")], .oddName), ([host, HTTPHeader("", "1")], .oddName),
      ([host, HTTPHeader("X-A", "1\rContent-Length: 2")], .oddValue),
      ([host, HTTPHeader("X-A", "1\tä\u{B}")], nil),
      ([host, HTTPHeader("x!#$%&'*+-.^_`|~9", "")], nil),
    ] as [([HTTPHeader], RequestFraming.Fault?)]
  )
  func `a head says once where its body ends`(
    headers: [HTTPHeader],
    fault: RequestFraming.Fault?
  ) {
    #expect(RequestFraming.fault(of: headers, version: "HTTP/1.1") == fault)
  }

  @Test func `HTTP/1.0 needs no host, and knows no chunks`() {
    #expect(RequestFraming.fault(of: [], version: "HTTP/1.0") == nil)
    #expect(RequestFraming.fault(of: [Self.chunked], version: "HTTP/1.0") == .oldEncoding)
  }

  @Test(arguments: [
    ("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "repeated_content_length"),
    ("Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}", "repeated_content_length"),
    ("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "content_length_and"),
    ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", "content_length_and"),
    ("Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "unknown_transfer_encoding"),
    ("Transfer-Encoding: identity\r\n\r\n", "unknown_transfer_encoding"),
    ("Host: y\r\nContent-Length: 2\r\n\r\n{}", "repeated_host"),
    ("Content-Length: 0\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", "odd_header_name"),
    ("Content-Length:\r\n 40\r\n\r\n", "odd_header_name"),
    ("X-A: 1\r\n Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n", "odd_header_name"),
    ("X-A: 1\rContent-Length: 40\r\n\r\n", "odd_header_value"),
  ])
  func `what is ambiguous gets 400, and no request after it an answer`(
    rest: String,
    reason: String
  ) async throws {
    try await Fixture.run { fixture in
      for path in ["/auth/logout", "/api/auth/logout"] {
        let head = "POST \(path) HTTP/1.1\r\nHost: x\r\nX-Request-Id: odd\r\n"
        let next = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        // Returns since the server closes the connection, though nobody asked for that.
        let bytes = try await fixture.client.exchange(Array((head + rest + next).utf8))
        let answer = try TestClient.parse(bytes)
        #expect(answer.status == 400)
        #expect(answer.headers["connection"] == "close")
        #expect(answer.headers["x-request-id"] == "odd")
        #expect(answer.json["code"] == .string("ambiguous_framing"))
        #expect((answer.json["success"] == .bool(false)) == path.hasPrefix("/api/"))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("200 OK"))
      }
      #expect(fixture.log.text.contains("why=\(reason)"))
    }
  }

  @Test(arguments: ["+2", "-2", "2,2", "2 2", "0x2", "two", ""])
  func `a length that is no number gets 400, and no request after it an answer`(
    length: String
  ) async throws {
    try await Fixture.run { fixture in
      let request =
        "POST /auth/logout HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\r\n{}"
        + "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
      let bytes = try await fixture.client.exchange(Array(request.utf8))
      // libmicrohttpd's own answer, before the program sees the request.
      #expect(try TestClient.parse(bytes).status == 400)
      #expect(!String(decoding: bytes, as: UTF8.self).contains("200 OK"))
    }
  }
}
