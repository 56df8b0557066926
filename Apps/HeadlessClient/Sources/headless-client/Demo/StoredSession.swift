internal import HeadlessClient
internal import SessionModels

/// What the demo's clients have stored, read as their owner would.
enum StoredSession {
  /// The session of a profile; nil where none is stored.
  static func info(home: String, profile: String) async throws(DemoFailure) -> AuthInfo? {
    guard let name = ProfileName(profile) else { throw DemoFailure("no such profile") }
    do {
      return try await Composition.storedSession(home: HomeDirectory(path: home), profile: name)
    } catch {
      throw DemoFailure("the stored session cannot be read: \(error)")
    }
  }
}
