internal import AuthNetworking
internal import SessionModels

/// The ids of sessions in the opaque model, where http.md makes them the tokens themselves (R9): they
/// are shown by their last characters, which are taken for them.
enum OpaqueSessionID {
  /// So many characters of an id are shown, and are enough to name it.
  private static let shown = 6
  /// A text of so many bytes or more may be a token.
  private static let secret = 16

  /// Takes the ids out of everything that is printed, where they may be tokens.
  static func conceal(
    _ sessions: [ServerSession],
    _ context: CommandContext
  ) async throws(ClientError) {
    guard try await context.client.backend().tokenModel == .opaque else { return }
    context.console.conceal(sessions.map { Secret($0.id) })
  }

  /// The id that a user means.
  ///
  /// - Throws: ``ClientError``: `notFound` or `usage` where no session ends so, or more than one.
  static func whole(
    _ id: String,
    _ controller: SessionController,
    _ context: CommandContext
  ) async throws(ClientError) -> String {
    guard try await context.client.backend().tokenModel == .opaque else { return id }
    // A whole one may be no session's any more, and a token all the same.
    if id.utf8.count >= secret { context.console.conceal([Secret(id)]) }
    let sessions: [ServerSession]
    do {
      sessions = try await controller.sessions()
    } catch  where error.code == .rejected {
      // A backend that can revoke and not list: it knows what is meant.
      return id
    } catch {
      throw ClientError(error)
    }
    try await conceal(sessions, context)
    return try find(id, in: sessions.map(\.id))
  }

  /// The one id that is meant by itself, or by its end.
  static func find(_ id: String, in ids: [String]) throws(ClientError) -> String {
    if ids.contains(id) { return id }
    let end = id.hasPrefix("…") ? String(id.dropFirst()) : id
    let found = end.utf8.count < shown ? [] : ids.filter { $0.hasSuffix(end) }
    switch found.count {
    case 0:
      throw ClientError(
        .notFound,
        "No session has an id that ends like that",
        advice: "sessions list shows them"
      )
    case 1: return found[0]
    default:
      throw .usage("more than one session has an id that ends like that", advice: "Give more of it")
    }
  }
}
