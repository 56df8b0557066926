/// Makes keys of the bytes that a terminal sends: a value, fed as they come.
///
/// Sequences may be cut anywhere. Of those that mean nothing here nothing is left, and bytes that
/// are no UTF-8 become U+FFFD. Pasted text (bracketed paste) is text, whatever stands in it.
struct KeyDecoder: Sendable {
  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  /// No key's sequence is longer.
  private static let longestSequence = 32

  private var waiting: [UInt8] = []
  private var paste: [UInt8]?

  /// Takes bytes.
  ///
  /// - Returns: the keys that are whole by now.
  mutating func decode(_ bytes: [UInt8]) -> [Key] {
    waiting += bytes
    var keys: [Key] = []
    var index = 0
    while index < waiting.count {
      if paste != nil {
        guard let next = takePaste(from: index, &keys) else { break }
        index = next
        continue
      }
      guard let next = takeKey(from: index, &keys) else { break }
      index = next
    }
    waiting.removeFirst(index)
    return KeyDecoder.joined(keys)
  }

  /// Texts that come one after the other as one, which is inserted at once.
  private static func joined(_ keys: [Key]) -> [Key] {
    keys.reduce(into: []) { joined, key in
      if case .text(let more) = key, case .text(let text)? = joined.last {
        joined[joined.count - 1] = .text(text + more)
      } else {
        joined.append(key)
      }
    }
  }

  private mutating func takePaste(from index: Int, _ keys: inout [Key]) -> Int? {
    let rest = waiting[index...]
    guard let end = rest.firstRange(of: KeyDecoder.pasteEnd) else {
      // The end may have begun: that much stays.
      let safe = max(index, waiting.count - KeyDecoder.pasteEnd.count + 1)
      // More than a line takes is dropped by the line.
      if (paste?.count ?? 0) <= LineEditor.mostBytes { paste? += waiting[index..<safe] }
      waiting.removeSubrange(index..<safe)
      return nil
    }
    let text = String(decoding: (paste ?? []) + waiting[index..<end.lowerBound], as: UTF8.self)
    paste = nil
    keys.append(.text(text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")))
    return end.upperBound
  }

  /// - Returns: where the next key begins; nil where this one is not whole yet.
  private mutating func takeKey(from index: Int, _ keys: inout [Key]) -> Int? {
    let byte = waiting[index]
    switch byte {
    case 0x1B: return takeSequence(from: index, &keys)
    case 0..<0x20, 0x7F:
      if let key = KeyDecoder.control(byte) { keys.append(key) }
      return index + 1
    case 0..<0x80:
      keys.append(.text(String(UnicodeScalar(byte))))
      return index + 1
    default: return takeCharacter(from: index, &keys)
    }
  }

  private mutating func takeCharacter(from index: Int, _ keys: inout [Key]) -> Int? {
    let length = waiting[index] >= 0xF0 ? 4 : waiting[index] >= 0xE0 ? 3 : 2
    var end = index + 1
    while end < index + length, end < waiting.count, waiting[end] & 0xC0 == 0x80 { end += 1 }
    let isCut = end == waiting.count && end < index + length && waiting[index] >= 0xC2
    guard !isCut else { return nil }
    keys.append(.text(String(decoding: waiting[index..<end], as: UTF8.self)))
    return end
  }

  private mutating func takeSequence(from index: Int, _ keys: inout [Key]) -> Int? {
    guard index + 1 < waiting.count else { return nil }
    switch waiting[index + 1] {
    case UInt8(ascii: "["):
      var end = index + 2
      while end < waiting.count, (0x20...0x3F).contains(waiting[end]) { end += 1 }
      guard end < waiting.count else {
        return end - index > KeyDecoder.longestSequence ? end : nil
      }
      let parameters = String(decoding: waiting[index + 2..<end], as: UTF8.self)
      take(parameters, waiting[end], &keys)
      return end + 1
    case UInt8(ascii: "O"):
      guard index + 2 < waiting.count else { return nil }
      take("", waiting[index + 2], &keys)
      return index + 3
    case 0x7F:
      keys.append(.deleteWord)
      return index + 2
    // An escape by itself, or one before a key (Alt): the key counts.
    default: return index + 1
    }
  }

  private mutating func take(_ parameters: String, _ final: UInt8, _ keys: inout [Key]) {
    switch (final, parameters.prefix { $0 != ";" }) {
    case (UInt8(ascii: "A"), _): keys.append(.lineUp)
    case (UInt8(ascii: "B"), _): keys.append(.lineDown)
    case (UInt8(ascii: "C"), _): keys.append(.right)
    case (UInt8(ascii: "D"), _): keys.append(.left)
    case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "7"):
      keys.append(.start)
    case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "8"):
      keys.append(.end)
    case (UInt8(ascii: "~"), "3"): keys.append(.delete)
    case (UInt8(ascii: "~"), "5"): keys.append(.pageUp)
    case (UInt8(ascii: "~"), "6"): keys.append(.pageDown)
    case (UInt8(ascii: "~"), "200"): paste = []
    default: break
    }
  }

  private static func control(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x01: .start
    case 0x03: .interrupt
    case 0x04: .endOfInput
    case 0x05: .end
    case 0x08, 0x7F: .backspace
    case 0x09: .text(" ")
    case 0x0A, 0x0D: .enter
    case 0x0B: .deleteToEnd
    case 0x0C: .redraw
    case 0x15: .deleteToStart
    case 0x17: .deleteWord
    default: nil
    }
  }
}
