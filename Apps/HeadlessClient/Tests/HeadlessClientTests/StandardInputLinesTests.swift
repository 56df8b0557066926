#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif
import Testing

@testable import HeadlessClient

struct StandardInputLinesTests {
  @Test(arguments: [
    ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\r\n\nb", ["a", "", "b"]),
    ("a\rb\n\r\n", ["a\rb", ""]),
  ]) func `Lines end with LF or CR LF, the last one may lack its end`(
    text: String,
    lines: [String]
  ) {
    for size in 1...3 {
      var buffer = LineBuffer()
      var found: [String] = []
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        buffer.append(Array(bytes[start..<min(start + size, bytes.count)]))
        while let line = buffer.takeLine() { found.append(String(decoding: line, as: UTF8.self)) }
      }
      buffer.append([])
      while let line = buffer.takeLine() { found.append(String(decoding: line, as: UTF8.self)) }
      #expect(found == lines)
      #expect(buffer.isEnded)
    }
  }

  @Test func `A line is there as soon as it is written, and a cancelled reader waits no longer`()
    async throws
  {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let lines = StandardInputLines(descriptor: ends[0])
    writeAll("one\ntw", to: ends[1])
    #expect(try await lines.next(atMost: 10) == Array("one".utf8))
    let waiting = Task { try await lines.next(atMost: 10) }
    waiting.cancel()
    #expect(try await waiting.value == nil)
    writeAll("o\nthree", to: ends[1])
    close(ends[1])
    // The line that the cancelled reader had asked for went with it.
    #expect(try await lines.next(atMost: 10) == Array("three".utf8))
    #expect(try await lines.next(atMost: 10) == nil)
  }

  @Test func `A line above the limit is 65`() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    writeAll("01234567890123456789", to: ends[1])
    let lines = StandardInputLines(descriptor: ends[0])
    let error = await #expect(throws: ClientError.self) { try await lines.next(atMost: 10) }
    #expect(error?.exitStatus == .invalidInput)
    for end in ends { close(end) }
  }

  private func writeAll(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    let count = write(descriptor, bytes, bytes.count)
    #expect(count == bytes.count)
  }
}
