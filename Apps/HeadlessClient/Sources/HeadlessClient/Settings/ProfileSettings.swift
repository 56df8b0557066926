internal import AuthNetworking

/// What a profile remembers beside its store: plain text, no secret among it.
package struct ProfileSettings: Equatable, Sendable {
  /// The backend of the last sign-in.
  package var baseURL: String?
  /// The realtime endpoint named at that sign-in: the only one that gets the token.
  package var realtimeURL: String?
  /// The dialect of the last sign-in.
  package var dialect: String?
  /// The token model of the last sign-in.
  package var tokenModel: String?
  /// The id of this install.
  package var deviceID: String?

  /// Nothing remembered.
  package init() {}

  private static var members: [(String, WritableKeyPath<ProfileSettings, String?>)] {
    [
      ("baseURL", \.baseURL), ("realtimeURL", \.realtimeURL), ("dialect", \.dialect),
      ("tokenModel", \.tokenModel), ("deviceID", \.deviceID),
    ]
  }

  /// Reads a profile's settings; where there is no file, nothing is remembered.
  ///
  /// - Throws: ``ClientError`` of code `damaged` for a file that is none of ours.
  package static func read(from path: String) throws(ClientError) -> ProfileSettings {
    guard let bytes = try PrivateFiles.read(path, atMost: 1 << 20) else { return ProfileSettings() }
    guard let value = JSONValue(parsing: bytes), value.object != nil else {
      throw ClientError(
        .damaged,
        "\(path) is damaged",
        advice: "Move it away, and name the backend with --base-url again"
      )
    }
    var settings = ProfileSettings()
    for (name, member) in members { settings[keyPath: member] = value[name]?.string }
    return settings
  }

  /// Writes a profile's settings, as a whole or not at all.
  package func write(to path: String) throws(ClientError) {
    let values = ProfileSettings.members.compactMap { name, member in
      self[keyPath: member].map { (name, JSONValue.string($0)) }
    }
    try PrivateFiles.replace(
      path,
      with: Array("\(JSONValue.object(JSONObject(values)).text)\n".utf8)
    )
  }
}
