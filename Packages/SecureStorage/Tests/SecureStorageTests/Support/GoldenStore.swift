import Foundation
import SecureStorage
import SessionModels

/// A store that a version of this library wrote, as it lies in `Golden`.
enum GoldenStore: String, CaseIterable, Sendable {
  case file = "v1-xchacha20-poly1305-file"
  case passphrase = "v1-aes-256-gcm-passphrase"

  /// Pairs, since a dictionary's keys are compared as text.
  static let values: [(key: String, value: [UInt8])] = {
    var values: [(key: String, value: [UInt8])] = [
      ("colour", Array("blue".utf8)), ("empty", []),
      ("every byte", (0...255 as ClosedRange<UInt8>).bytes),
      // The same to a reader, two names to a store.
      ("\u{E4}", Array("composed".utf8)), ("a\u{308}", Array("decomposed".utf8)),
      ("long", (0..<6_000).map { UInt8(truncatingIfNeeded: $0 * 7) }),
    ]
    // More than one list holds.
    for index in 0..<80 { values.append(("entry \(index)", Array("value \(index)".utf8))) }
    return values
  }()

  static let record: SessionRecord = {
    var record = SessionRecord.empty
    record.generation = 7
    record.authInfo = SecureSessionStorageTests.info("golden")
    record.attempt = RefreshAttempt(id: "attempt", fingerprint: SecretFingerprint(of: Secret("t")))
    return record
  }()

  var cipher: CipherName { self == .file ? .xchacha20Poly1305 : .aes256GCM }

  /// The vault's file and the database with its generation; the others hold nothing.
  var files: [String] {
    ["store.db", "store.generation", self == .file ? "store.key" : "store.passphrase"]
  }

  /// The vault of a copy.
  func vault(in directory: String) -> any KeyVault {
    switch self {
    case .file: FileVault(path: directory + "/store.key")
    case .passphrase:
      PassphraseVault(
        path: directory + "/store.passphrase",
        cost: KeyDerivationCost(passes: 1, memory: 65_536)
      ) { () throws(StorageError) in Secret("correct horse") }
    }
  }

  /// A copy to open: it is changed by that, and what lies in the sources must not be.
  func copied(to home: TemporaryHome) throws {
    try FileManager.default.createDirectory(
      atPath: home.store,
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700]
    )
    for name in files {
      let content = TemporaryHome.bytes(of: GoldenStore.folder + "/\(rawValue)/\(name)")
      TemporaryHome.write(content, to: home.store + "/" + name)
    }
  }

  /// Where they lie in the sources.
  static let folder =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Golden").path
}
