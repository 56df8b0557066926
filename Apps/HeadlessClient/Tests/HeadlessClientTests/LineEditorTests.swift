import Testing

@testable import HeadlessClient

struct LineEditorTests {
  private func editor(_ text: String, at cursor: Int? = nil) -> LineEditor {
    var editor = LineEditor()
    editor.insert(text)
    if let cursor { editor.move(by: cursor - editor.cursor) }
    return editor
  }

  @Test func `Text goes in where the cursor is`() {
    var line = editor("held", at: 3)
    line.insert("lo worl")
    #expect(line.text == "hello world")
    #expect(line.cursor == 10)
  }

  @Test func `What looks like one character is taken away as one`() {
    var line = editor("e\u{301}👩‍👩‍👧‍👦日")
    for left in ["e\u{301}👩‍👩‍👧‍👦", "e\u{301}", "", ""] {
      line.deleteBackward()
      #expect(line.text == left)
    }
    var joined = editor("e")
    joined.insert("\u{301}")
    #expect(joined.characters.count == 1)
  }

  @Test func `Words, the start, the end and what is ahead can be taken away`() {
    var word = editor("one two  ")
    word.deleteWord()
    #expect(word.text == "one ")
    var start = editor("one two", at: 4)
    start.deleteToStart()
    #expect(start.text == "two")
    #expect(start.cursor == 0)
    var end = editor("one two", at: 3)
    end.deleteToEnd()
    #expect(end.text == "one")
    var ahead = editor("abc", at: 1)
    ahead.deleteForward()
    #expect(ahead.text == "ac")
  }

  @Test func `The cursor stays within the line`() {
    var line = editor("ab")
    line.move(by: 5)
    #expect(line.cursor == 2)
    line.move(by: -9)
    #expect(line.cursor == 0)
    line.deleteBackward()
    line.moveToEnd()
    line.deleteForward()
    #expect(line.text == "ab")
  }

  @Test func `A line does not grow beyond what can be sent`() {
    var line = editor(String(repeating: "x", count: LineEditor.mostBytes))
    line.insert("y")
    #expect(line.text.utf8.count == LineEditor.mostBytes)
    line.deleteBackward()
    line.insert("y")
    #expect(line.text.hasSuffix("xy"))
    #expect(line.take().utf8.count == LineEditor.mostBytes)
    #expect(line == LineEditor())
  }
}
