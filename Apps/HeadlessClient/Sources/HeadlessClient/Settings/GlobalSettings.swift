package import AuthNetworking
package import SecureStorage

/// The global options, read into the types that they stand for.
package struct GlobalSettings: Sendable {
  /// Where everything on disk lives.
  package let home: HomeDirectory
  /// Which account slot.
  package private(set) var profile: ProfileName
  /// The backend given on the command line.
  package let baseURL: HTTPURL?
  /// The realtime endpoint given on the command line, as it was written.
  package let realtimeURL: String?
  /// The dialect given on the command line.
  package let dialect: String?
  /// The token model given on the command line.
  package let tokenModel: String?
  /// The vault given on the command line; `auto` counts as none.
  package private(set) var vault: VaultName?
  /// Whether `auto` was asked for by name.
  package let wantsBestVault: Bool
  /// How long an unlocked passphrase vault is not asked for again; nil for not at all.
  package let keepUnlocked: Duration?
  /// A file with roots to trust instead of the system's.
  package let caFile: String?
  /// Whether the access token is kept in memory only.
  package let keepsAccessTokenInMemory: Bool
  /// The pins, as they were written; checked already.
  package let pins: [SPKIPin]
  /// A fixed device id.
  package let deviceID: String?
  /// The largest answer read into memory, in bytes; nil for the default.
  package let maximumBody: Int?
  /// The time for one HTTP attempt; nil for the default.
  package let timeout: Duration?

  /// Reads the options of a command line.
  ///
  /// - Throws: ``ClientError`` of code `usage` for what cannot be used.
  package init(
    _ invocation: Invocation,
    environment: [String: String]
  ) throws(ClientError) {
    home = try HomeDirectory(option: invocation.value("home"), environment: environment)
    profile = try GlobalSettings.profile(invocation.value("profile"))
    baseURL = try invocation.value("base-url").map { text throws(ClientError) in
      try GlobalSettings.url(text, option: "base-url")
    }
    realtimeURL = invocation.value("realtime-url")
    if let realtimeURL { _ = try GlobalSettings.url(realtimeURL, option: "realtime-url") }
    dialect = invocation.value("dialect")
    tokenModel = invocation.value("token-model")
    wantsBestVault = invocation.value("vault") == "auto"
    vault = invocation.value("vault").flatMap { $0 == "auto" ? nil : VaultName(rawValue: $0) }
    keepUnlocked = invocation.integer("keep-unlocked").map { .seconds($0) }
    caFile = invocation.value("ca-file").map(FilePath.absolute)
    if let caFile { try GlobalSettings.checkRoots(caFile) }
    keepsAccessTokenInMemory = invocation.value("access-token") == "memory"
    pins = try GlobalSettings.pins(invocation.all("pin"))
    deviceID = try GlobalSettings.deviceID(invocation.value("device-id"))
    maximumBody = invocation.integer("max-body")
    timeout = invocation.value("timeout").flatMap(ValueForm.duration)
  }

  /// The same options for another profile; what the vault's option says is not meant for it.
  func of(_ profile: ProfileName) -> GlobalSettings {
    var settings = self
    settings.profile = profile
    settings.vault = nil
    return settings
  }

  private static func profile(_ text: String?) throws(ClientError) -> ProfileName {
    guard let text else { return .standard }
    guard let name = ProfileName(text) else {
      throw .usage(
        "--profile must be 1 to 64 letters, digits, dots, dashes or underscores, "
          + "beginning with a letter or digit"
      )
    }
    return name
  }

  /// Looks into a file of roots: what is none would be a TLS failure, which looks like the server's.
  private static func checkRoots(_ path: String) throws(ClientError) {
    let bytes: [UInt8]?
    do {
      bytes = try PrivateFiles.publicBytes(path, atMost: 64 << 20)
    } catch {
      throw .usage("--ca-file: \(error.message)")
    }
    guard let bytes else { throw .usage("--ca-file: there is no file \(path)") }
    let text = String(decoding: bytes, as: UTF8.self)
    guard
      text.contains("-----BEGIN CERTIFICATE-----")
        || text.contains("-----BEGIN TRUSTED CERTIFICATE-----")
    else {
      throw .usage(
        "--ca-file: \(path) holds no certificate",
        advice: "Name a file of certificates in PEM, which begin with -----BEGIN CERTIFICATE-----"
      )
    }
  }

  /// Reads a URL that a token may go to: plain http to this machine only (R8).
  package static func url(_ text: String, option: String) throws(ClientError) -> HTTPURL {
    do {
      let url = try HTTPURL(parsing: text)
      guard !text.utf8.contains(where: { "?#".utf8.contains($0) }) else {
        throw ClientError.usage(
          "--\(option): a query or fragment is no part of a base",
          advice: "Leave out what begins with ? or #"
        )
      }
      guard url.isSecureOrLoopback else {
        throw ClientError.usage(
          "--\(option): plain http is for this machine only",
          advice: "Use https://"
        )
      }
      return url
    } catch let error as HTTPURLError {
      throw .usage("--\(option): \(error.message)")
    } catch let error as ClientError {
      throw error
    } catch {
      throw .usage("--\(option) cannot be used")
    }
  }

  private static func pins(_ texts: [String]) throws(ClientError) -> [SPKIPin] {
    var pins: [SPKIPin] = []
    for text in texts {
      guard let pin = SPKIPin(text) else {
        throw .usage("--pin must be sha256// and the base64 of 32 bytes")
      }
      pins.append(pin)
    }
    return pins
  }

  private static func deviceID(_ text: String?) throws(ClientError) -> String? {
    guard let text else { return nil }
    guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .usage("--device-id must be 1 to 128 visible ASCII characters") }
    return text
  }
}
