internal import AuthNetworking
internal import GroupMessages
internal import SessionModels

/// A message as it is printed.
struct MessageReport {
  private let message: GroupMessage
  private let isMine: Bool

  init(_ message: GroupMessage, isMine: Bool) {
    self.message = message
    self.isMine = isMine
  }

  /// The line for programs, as cli.md has it.
  var json: JSONValue {
    .members([
      "id": .string(message.id),
      "senderID": .string(message.senderID.rawValue),
      "isMine": .bool(isMine),
      "body": .string(message.body),
      "sequence": .integer(message.sequence),
      "sentAt": .string(Instant.text(of: message.sentAt)),
    ])
  }

  /// The line for people: time, sender, text.
  func text(_ console: Console) -> String {
    let time = Instant.text(of: message.sentAt)
    let sender = isMine ? "me" : Printable.text(message.senderID.rawValue)
    return console.style.paint("\(time) #\(message.sequence)", .dim, on: .results) + " "
      + console.style.paint(sender, isMine ? .good : .bold, on: .results) + ": "
      + Printable.text(message.body)
  }
}
