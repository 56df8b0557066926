/// One header of an answer.
struct HTTPHeader: Equatable, Sendable {
  let name: String
  let value: String

  init(_ name: String, _ value: String) {
    (self.name, self.value) = (name, value)
  }
}

/// What a request is answered with.
struct ServerResponse: Equatable, Sendable {
  let status: Int
  var headers: [HTTPHeader]
  let body: [UInt8]
  /// True where a test wants the answer lost: the connection is closed without it.
  var isLost = false

  init(_ status: Int, _ body: JSONValue, headers: [HTTPHeader] = []) {
    self.status = status
    self.headers = [HTTPHeader("Content-Type", "application/json; charset=utf-8")] + headers
    self.body = body.utf8
  }

  /// 204.
  static let noContent = ServerResponse(emptyWith: 204)

  private init(emptyWith status: Int) {
    (self.status, headers, body) = (status, [], [])
  }
}
