/// A conversation as the chat shows it, at one moment.
struct ChatContent: Equatable, Sendable {
  /// A message that the server has.
  struct Message: Equatable, Sendable {
    var sequence: UInt64
    var sender: String
    var isMine: Bool
    var body: String
    /// Seconds since 1970.
    var sentAt: Double
  }

  /// One of the user's own that is not among them yet.
  struct Unsent: Equatable, Sendable {
    var body: String
    /// Why it was refused for good; nil where it is under way or waits.
    var refusal: String?
    /// Whether the server has it, though the history around it was not read yet.
    var isSent = false
  }

  /// Ascending by sequence.
  var messages: [Message] = []
  /// In the order of writing.
  var unsent: [Unsent] = []
  /// Who is writing just now.
  var typing: [String] = []
  /// Whether there are older messages than these.
  var hasEarlier = true
  /// Whether something was read from the server.
  var isLive = false
  /// Why the messages cannot be read just now; nil where nothing fails.
  var failure: String?
}

/// How the chat is connected.
enum ChatConnection: Equatable, Sendable {
  case connecting
  case connected
  /// There is no connection; the next attempt is at that time, in seconds since 1970.
  case waiting(until: Double)
  /// The session has ended, for this reason.
  case signedOut(String)
}
