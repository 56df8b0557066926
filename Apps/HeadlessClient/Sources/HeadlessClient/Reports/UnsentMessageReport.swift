internal import AuthNetworking
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import GroupMessages
internal import SessionModels

/// A message that is kept and not sent, as it is printed.
struct UnsentMessageReport {
  private let send: OwnSend
  private let group: String
  private let reason: String?

  /// - Parameters:
  ///   - send: the message.
  ///   - group: whom it is for.
  ///   - reason: why it waits, where that is known.
  init(_ send: OwnSend, group: String, reason: String? = nil) {
    self.send = send
    self.group = group
    self.reason = send.refusal ?? reason
  }

  private var state: String { send.state == .failed ? "failed" : "waiting" }

  /// The line for programs.
  var json: JSONValue {
    .members([
      "clientMessageID": .string(send.clientMessageID),
      "group": .string(group),
      "state": .string(state),
      "body": .string(send.body),
      "writtenAt": .string(Instant.text(of: send.writtenAt)),
      "reason": reason.map { .string($0) },
    ])
  }

  /// What the cells of ``row(now:)`` are.
  static let headings = ["MESSAGE", "STATE", "WRITTEN", "GROUP", "TEXT", "WHY"]

  /// What a group, a text or a reason is cut to at most: with less of them a table says nothing.
  static let narrowest = 16

  /// The cells of its row for people.
  ///
  /// - Parameter now: seconds since 1970, to say how long ago it was written.
  /// - Returns: the cells, as ``headings`` names them.
  func row(now: Double) -> [String] {
    let age = RelativeTime.text(seconds: send.writtenAt.timeIntervalSince1970 - now)
    return [send.clientMessageID, state, age, group, send.body, reason ?? "–"]
  }

  /// The line for people: time, id, group, text, and why it is still here.
  func text(_ console: Console) -> String {
    let time = Instant.text(of: send.writtenAt)
    let color: Style.Color = send.state == .failed ? .bad : .caution
    return console.style.paint("\(time) \(send.clientMessageID)", .dim, on: .results) + " "
      + console.style.paint(state, color, on: .results) + " "
      + Printable.text(group) + ": " + Printable.text(send.body)
      + (reason.map { " (\(Printable.text($0)))" } ?? "")
  }
}
