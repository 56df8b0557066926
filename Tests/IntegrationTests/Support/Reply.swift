import Foundation

/// What the scripted backend does with a request.
enum Reply: Sendable {
  case answer(status: Int, headers: [String: String], body: Data)
  /// Hang up without a word.
  case hangUp
  /// Announce a body, send half of it, and hang up.
  case half(body: Data)

  static func json(_ text: String) -> Reply { json(200, text) }

  static func json(_ status: Int, headers: [String: String] = [:], _ text: String) -> Reply {
    var headers = headers
    headers["Content-Type"] = "application/json"
    return .answer(status: status, headers: headers, body: Data(text.utf8))
  }

  static func html(_ status: Int) -> Reply {
    .answer(
      status: status,
      headers: ["Content-Type": "text/html"],
      body: Data("<!doctype html><title>gateway</title>".utf8)
    )
  }

  static func redirect(_ status: Int, to location: String) -> Reply {
    .answer(status: status, headers: ["Location": location], body: Data())
  }
}
