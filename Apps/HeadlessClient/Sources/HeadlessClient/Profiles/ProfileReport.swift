internal import AuthNetworking
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SecureStorage
internal import SessionModels

/// What can be said of a profile without opening its store.
struct ProfileReport {
  let name: String
  let isCurrent: Bool
  let path: String
  let settings: ProfileSettings
  let vault: String?
  let lastChange: Double?

  /// Looks at a profile's directory.
  ///
  /// Settings that are damaged count as empty: `status` of that profile tells of them.
  init(_ name: ProfileName, in home: HomeDirectory, isCurrent: Bool) async {
    let directory = ProfileDirectory(path: home.profileDirectory(name))
    self.name = name.rawValue
    self.isCurrent = isCurrent
    path = directory.path
    settings = (try? ProfileSettings.read(from: directory.settingsFile)) ?? ProfileSettings()
    let hasStore = (try? directory.hasStore) ?? false
    vault =
      hasStore
      ? (try? await SecureStore.vaultName(ofStoreAt: directory.storeDirectory))?.rawValue : nil
    let files = [directory.databaseFile, "\(directory.databaseFile)-wal", directory.settingsFile]
    lastChange = ProfileFiles.lastChange(of: files)
  }

  /// The backend as people write it, without the slash that stands for an empty path.
  private var baseURL: String? {
    settings.baseURL.map { url in
      url.hasSuffix("/") && url.count { $0 == "/" } == 3 ? String(url.dropLast()) : url
    }
  }

  /// The members of its JSON line; what is not known is left out.
  var members: [(String, JSONValue)] {
    let known: KeyValuePairs<String, String?> = [
      "path": path, "baseURL": baseURL, "realtimeURL": settings.realtimeURL,
      "dialect": settings.dialect, "tokenModel": settings.tokenModel,
      "deviceID": settings.deviceID, "vault": vault,
      "changedAt": lastChange.map(ProfileReport.instant),
    ]
    return [("profile", .string(name)), ("current", .bool(isCurrent))]
      + known.compactMap { name, text in text.map { (name, .string($0)) } }
  }

  /// The cells of its row in a list.
  func row(now: Double) -> [String] {
    [
      name + (isCurrent ? " *" : ""), baseURL ?? "–", settings.dialect ?? "–",
      vault ?? "–",
      lastChange.map { RelativeTime.text(seconds: $0 - now) } ?? "–",
    ]
  }

  /// What the cells are.
  static let headings = ["PROFILE", "BACKEND", "DIALECT", "VAULT", "CHANGED"]

  /// Names and values, one a line, for people.
  func rows(now: Double) -> [(String, String)] {
    let changed = lastChange.map {
      "\(RelativeTime.text(seconds: $0 - now)) (\(ProfileReport.instant($0)))"
    }
    return [
      ("Backend", baseURL), ("Realtime", settings.realtimeURL),
      ("Dialect", settings.dialect), ("Tokens", settings.tokenModel),
      ("Device", settings.deviceID), ("Vault", vault), ("Changed", changed), ("Path", path),
    ].compactMap { name, value in value.map { (name, $0) } }
  }

  private static func instant(_ seconds: Double) -> String {
    Instant.text(of: Date(timeIntervalSince1970: seconds))
  }
}
