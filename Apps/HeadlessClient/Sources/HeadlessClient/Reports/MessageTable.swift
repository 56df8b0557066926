internal import AuthNetworking
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import GroupMessages
internal import SessionModels

/// A page of messages for people at a terminal: who said what, and how long ago.
struct MessageTable {
  private let lines: [(message: GroupMessage, isMine: Bool)]
  private let now: Double

  /// The fewest columns that a text is wrapped to beside its sender.
  private static let narrowest = 20

  /// A table of messages, oldest first.
  ///
  /// - Parameters:
  ///   - lines: the messages, and whether they are the user's own.
  ///   - now: seconds since 1970, to say how long ago they were sent.
  init(_ lines: [(message: GroupMessage, isMine: Bool)], now: Double) {
    self.lines = lines
    self.now = now
  }

  /// The table, each text over as many lines as it needs beside its sender.
  func text(_ console: Console) -> String {
    // Before they are cut and wrapped: a part of a secret is not recognised any more.
    let redactor = console.redactor(cutsUnknownTokens: false)
    let cells = lines.map { message, isMine in
      [
        "#\(message.sequence)",
        RelativeTime.text(seconds: message.sentAt.timeIntervalSince1970 - now),
        isMine
          ? "me"
          : ScreenText.cut(
            Printable.text(redactor.redact(message.senderID.rawValue)),
            to: 20
          ),
      ]
    }
    let widths = (0..<3).map { column in cells.map { ScreenText.columns(of: $0[column]) }.max() ?? 0
    }
    let style = console.style
    let beside = widths.reduce(6, +)
    // Where hardly anything fits beside the sender, the text stands below.
    let isBelow = style.width - beside < MessageTable.narrowest
    let indent = isBelow ? 2 : beside
    let room = max(2, style.width - indent)
    return zip(lines, cells).map { line, cells in
      let head = zip(cells, widths).map { cell, width in
        cell + String(repeating: " ", count: width - ScreenText.columns(of: cell) + 2)
      }
      let sender =
        isBelow
        ? ScreenText.cut(cells[2], to: max(2, style.width - beside + widths[2] + 2)) : head[2]
      let start =
        style.paint(head[0] + head[1], .dim, on: .results)
        + style.paint(sender, line.isMine ? .good : .bold, on: .results)
      let body = ScreenText(redactor.redact(line.message.body)).wrapped(to: room).map(\.text)
      let gap = "\n" + String(repeating: " ", count: indent)
      return start + (isBelow ? gap : "") + body.joined(separator: gap)
    }.joined(separator: "\n")
  }
}
