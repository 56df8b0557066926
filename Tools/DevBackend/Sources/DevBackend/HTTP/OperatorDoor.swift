/// Lets in who asks from this machine, under this machine's name, and has a token.
///
/// A page of another site can make a browser on this machine ask, under a name that it had
/// resolved to this machine (DNS rebinding); the name then stands in `Host`. A proxy on this
/// machine asks for others, which it says.
struct OperatorDoor: Sendable {
  let access: OperatorAccess
  let port: UInt16

  /// What is answered to whoever may not even try; nil where he may.
  func refusal(of request: ServerRequest) -> ServerResponse? {
    let forwarded = ["forwarded", "x-forwarded-for", "x-real-ip", "via"]
    guard request.isLocal, forwarded.allSatisfy({ request.headers[$0] == nil }) else {
      return .refused(403, "loopback_only", "Ask from the machine that the backend runs on")
    }
    guard isOwn(request.headers["host"] ?? "") else {
      return .refused(
        421,
        "wrong_host",
        "Ask as http://127.0.0.1:\(port) or http://localhost:\(port)"
      )
    }
    if let origin = request.headers["origin"] {
      let name = ["http://", "https://"].first(where: origin.hasPrefix).map {
        String(origin.dropFirst($0.count))
      }
      guard let name, isOwn(name) else {
        return .refused(403, "wrong_origin", "Pages of other sites may not ask this")
      }
    }
    return nil
  }

  /// What is answered to whoever may not ask for faults; nil where he may.
  func refusalOfAdmin(_ request: ServerRequest) -> ServerResponse? {
    if let refusal = refusal(of: request) { return refusal }
    guard access.isAdmin(request.bearer) else {
      return .refused(
        401,
        "admin_token",
        "Send the token of --admin-token-file, or the one printed at start, as a bearer token"
      )
    }
    return nil
  }

  private func isOwn(_ host: String) -> Bool {
    ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"].contains(host.lowercased())
  }
}

extension ServerResponse {
  /// An answer to an operator who is not let in.
  static func refused(_ status: Int, _ code: String, _ message: String) -> ServerResponse {
    let headers = status == 401 ? [HTTPHeader("WWW-Authenticate", "Bearer")] : []
    let body = JSONValue.of(["error": .string(message), "code": .string(code)])
    return ServerResponse(status, body, headers: headers)
  }
}
