/// Text cut into lines between its words.
enum TextWrap {
  /// The lines of a text, none longer than the room where its words allow that.
  static func lines(_ text: String, room: Int) -> [String] {
    lines(of: text.split(separator: " ").map(String.init), room: room)
  }

  /// The lines of some pieces, each of which stays whole.
  static func lines(of pieces: [String], room: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for piece in pieces {
      if !line.isEmpty, line.count + 1 + piece.count > room {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? piece : " \(piece)"
    }
    return lines + [line]
  }

  /// A paragraph.
  static func paragraph(_ text: String, room: Int) -> String {
    lines(text, room: room).joined(separator: "\n")
  }
}
