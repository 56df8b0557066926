/// "Did you mean": the nearest of the words that would have been right.
enum Suggestion {
  /// The word nearest to what was typed, or nil where none is near enough to be meant.
  static func closest(to typed: String, among words: some Sequence<String>) -> String? {
    let typedWord = Array(typed.lowercased().utf8)
    // A third of the letters wrong is a slip; more is another word.
    let limit = max(1, min(3, (typedWord.count + 1) / 3))
    var best: (word: String, distance: Int)?
    for word in words {
      let candidate = Array(word.utf8)
      let isBeginning = typedWord.count >= 3 && candidate.starts(with: typedWord)
      let found = isBeginning ? 1 : distance(typedWord, candidate)
      if found <= limit, found < best?.distance ?? .max { best = (word, found) }
    }
    return best?.word
  }

  /// Insertions, deletions, substitutions and swaps of neighbours between two words.
  static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var rows = [Array(0...right.count)]
    for row in 1..<(left.count + 1) {
      var current = [row]
      for column in 1..<(right.count + 1) {
        let substitution =
          rows[row - 1][column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
        var cost = min(rows[row - 1][column] + 1, current[column - 1] + 1, substitution)
        if row > 1, column > 1, left[row - 1] == right[column - 2],
          left[row - 2] == right[column - 1]
        {
          cost = min(cost, rows[row - 2][column - 2] + 1)
        }
        current.append(cost)
      }
      rows.append(current)
    }
    return rows[left.count][right.count]
  }
}
