import Testing

@testable import AuthNetworking

@Suite struct ResponseHeadTests {
  private func head(_ lines: [[UInt8]]) -> ResponseHead {
    var head = ResponseHead()
    for line in lines { line.withUnsafeBytes { head.take(line: $0) } }
    return head
  }

  private func head(_ lines: String...) -> ResponseHead {
    head(lines.map { Array("\($0)\r\n".utf8) })
  }

  @Test func `fields are read, spaces around values are not`() {
    let head = head("HTTP/2 200", "A:1", "b: \t two words \t", "C:", "no colon", "")
    #expect(head.isComplete)
    #expect(head.headers == HTTPHeaders([("A", "1"), ("b", "two words"), ("C", "")]))
  }

  @Test func `the last head counts, and what comes after it is none`() {
    let head = head("HTTP/1.1 103 Hints", "A: 1", "", "HTTP/1.1 200 OK", "B: 2", "", "C: 3")
    #expect(head.headers == HTTPHeaders([("B", "2")]))
  }

  @Test func `a head without its empty line is not complete`() {
    #expect(!head("HTTP/1.1 200 OK", "A: 1").isComplete)
    #expect(!head("HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK").isComplete)
    #expect(!ResponseHead().hasBegun)
  }

  @Test func `a value that is not UTF-8 is Latin-1`() {
    let head = head([Array("HTTP/1.1 200 OK\r\n".utf8), [0x41, 0x3A, 0xFC, 0x0D, 0x0A]])
    #expect(head.headers["a"] == "ü")
    #expect(self.head("HTTP/1.1 200 OK", "A: ü").headers["a"] == "ü")
  }

  @Test func `heads beyond the limit are too large, in sum`() {
    var head = ResponseHead()
    let line = Array(("A: " + String(repeating: "x", count: 1021)).utf8)
    for _ in 0..<(ResponseHead.largest / line.count) {
      line.withUnsafeBytes { head.take(line: $0) }
    }
    #expect(!head.isTooLarge)
    line.withUnsafeBytes { head.take(line: $0) }
    #expect(head.isTooLarge)
  }
}
