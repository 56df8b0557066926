import Testing

@testable import HeadlessClient

struct KeyDecoderTests {
  private static let table: [(String, [Key])] = [
    ("abc", [.text("abc")]), ("日é😀", [.text("日é😀")]), ("\r", [.enter]), ("\n", [.enter]),
    ("\u{7F}\u{8}", [.backspace, .backspace]), ("\t", [.text(" ")]),
    ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.lineUp, .lineDown, .right, .left]),
    ("\u{1B}OA\u{1B}OH\u{1B}OF", [.lineUp, .start, .end]),
    ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~", [.start, .end, .start, .end]),
    ("\u{1B}[3~\u{1B}[5~\u{1B}[6~", [.delete, .pageUp, .pageDown]),
    ("\u{1B}[1;5C", [.right]), ("\u{1B}[5;2~", [.pageUp]), ("\u{1B}\u{7F}", [.deleteWord]),
    ("\u{1}\u{5}\u{B}\u{15}\u{17}", [.start, .end, .deleteToEnd, .deleteToStart, .deleteWord]),
    ("\u{3}\u{4}\u{C}", [.interrupt, .endOfInput, .redraw]), ("\u{1B}x", [.text("x")]),
    ("a\u{1B}[99;99Zb", [.text("ab")]), ("\u{0}\u{2}", []),
    (
      "\u{1B}[200~two\r\nlines\u{1B}[A\u{3}\r\u{1B}[201~\r",
      [.text("two\nlines\u{1B}[A\u{3}\n"), .enter]
    ),
  ]

  @Test(arguments: table)
  func `Bytes become keys`(bytes: String, keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(Array(bytes.utf8)) == keys)
  }

  @Test(arguments: table)
  func `Wherever they are cut, they become the same keys`(bytes: String, keys: [Key]) {
    let all = Array(bytes.utf8)
    for cut in 0...all.count {
      var decoder = KeyDecoder()
      let found = decoder.decode(Array(all[..<cut])) + decoder.decode(Array(all[cut...]))
      #expect(joined(found) == joined(keys), "cut at \(cut)")
    }
    var decoder = KeyDecoder()
    #expect(joined(all.flatMap { decoder.decode([$0]) }) == joined(keys))
  }

  @Test func `What is no UTF-8 is shown as such, and nothing is waited for in vain`() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0xFF, 0x61]) == [.text("\u{FFFD}a")])
    #expect(decoder.decode([0xC3]) == [])
    #expect(decoder.decode([0x61]) == [.text("\u{FFFD}a")])
    #expect(decoder.decode(Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 100)) == [])
    #expect(decoder.decode(Array("ok".utf8)).last == .text("ok"))
  }

  @Test func `A paste without an end takes no more memory than a line`() {
    var decoder = KeyDecoder()
    _ = decoder.decode(Array("\u{1B}[200~".utf8))
    let chunk = Array(repeating: UInt8(ascii: "x"), count: 4096)
    for _ in 0..<1000 { #expect(decoder.decode(chunk).isEmpty) }
    guard case .text(let text)? = decoder.decode(Array("\u{1B}[201~".utf8)).first else {
      Issue.record("no text")
      return
    }
    #expect(text.utf8.count <= LineEditor.mostBytes + 4096 * 2)
  }

  private func joined(_ keys: [Key]) -> [Key] {
    keys.reduce(into: []) { joined, key in
      if case .text(let more) = key, case .text(let text)? = joined.last {
        joined[joined.count - 1] = .text(text + more)
      } else {
        joined.append(key)
      }
    }
  }
}
