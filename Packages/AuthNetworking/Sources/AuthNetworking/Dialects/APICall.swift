/// One call of a dialect: what to send where, without the headers that every request gets.
public struct APICall: Equatable, Sendable {
  /// The method.
  public var method: HTTPMethod
  /// The path below the base with the dialect's prefix, beginning with `/`.
  public var path: String
  /// The JSON body, or nil for none.
  public var body: [UInt8]?
  /// Whether the access token goes with it.
  ///
  /// Said here, never guessed from the path (R12).
  public var carriesToken: Bool

  /// A call from its parts.
  public init(
    _ method: HTTPMethod,
    _ path: String,
    body: JSONValue? = nil,
    carriesToken: Bool
  ) {
    self.method = method
    self.path = path
    self.body = body.map { Array($0.text.utf8) }
    self.carriesToken = carriesToken
  }
}

extension APICall: CustomStringConvertible, CustomReflectable {
  /// Method and path; never the body, which may hold a password or a token (R9).
  public var description: String { "\(method.rawValue) \(path)" }

  /// Shows method and path only.
  public var customMirror: Mirror {
    Mirror(self, children: ["method": method.rawValue, "path": path])
  }
}
