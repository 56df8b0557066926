/// One header of an answer.
struct HTTPHeader: Equatable, Sendable {
  let name: String
  let value: String

  init(_ name: String, _ value: String) {
    (self.name, self.value) = (name, value)
  }
}

/// What a request is answered with.
struct ServerResponse: Sendable {
  let status: Int
  var headers: [HTTPHeader]
  var body: [UInt8]
  /// True where the answer is to be lost: the connection is closed without it.
  var isLost = false
  /// Where the body comes bit by bit, until the client or the server goes.
  var feed: (any ResponseFeed)?

  init(_ status: Int, _ body: JSONValue, headers: [HTTPHeader] = []) {
    self.init(status, bytes: body.utf8, type: "application/json; charset=utf-8", headers: headers)
  }

  init(_ status: Int, bytes: [UInt8], type: String, headers: [HTTPHeader] = []) {
    self.status = status
    self.headers = [HTTPHeader("Content-Type", type)] + headers
    body = bytes
  }

  init(_ status: Int, text: String, type: String, headers: [HTTPHeader] = []) {
    self.init(status, bytes: Array(text.utf8), type: type, headers: headers)
  }

  /// An answer that goes on for as long as the feed does.
  init(feed: any ResponseFeed, type: String) {
    self.init(200, bytes: [], type: type)
    self.feed = feed
  }

  /// 204.
  static let noContent = ServerResponse(emptyWith: 204)

  /// No answer at all.
  static let lost = {
    var response = ServerResponse(emptyWith: 204)
    response.isLost = true
    return response
  }()

  private init(emptyWith status: Int) {
    (self.status, headers, body) = (status, [], [])
  }
}

/// A body that comes bit by bit.
protocol ResponseFeed: AnyObject, Sendable {
  /// The next bytes; blocks until there are some. Nil at the end.
  func next() -> [UInt8]?

  /// The client has gone, or all was said.
  func close()
}
