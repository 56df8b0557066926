internal import SecureStorage

/// The options that every command takes, before or after its name.
package enum GlobalOptions {
  /// What `--vault` takes in this build.
  package static let vaults = ["auto"] + VaultName.available.map(\.rawValue)

  // What a build for this platform may lack says so when it is used: a store may be in it.
  #if os(Linux)
  private static let vaultsOfOtherBuilds = ["tpm2", "secret-service", "kernel-keyring"]
  private static let vaultsElsewhere = ["keychain"]
  #else
  private static let vaultsOfOtherBuilds: [String] = []
  private static let vaultsElsewhere = ["keychain", "tpm2", "secret-service", "kernel-keyring"]
  #endif

  /// The table; its order is that of help.
  package static let all = table.filter { $0.name != "keep-unlocked" || canKeepUnlocked }

  // The key is kept in the kernel's keyring meanwhile, which not every build has.
  private static let canKeepUnlocked = VaultName.available.contains(.kernelKeyring)

  private static let table: [OptionSpec] = [
    OptionSpec(
      "home",
      .directory("DIR"),
      "everything on disk lives below it",
      default: "$XDG_DATA_HOME/headless-client or ~/.local/share/headless-client"
    ),
    OptionSpec("profile", .profile("NAME"), "an account slot", default: "default"),
    OptionSpec("base-url", .text("URL"), "the HTTP backend", default: "remembered from login"),
    OptionSpec(
      "realtime-url",
      .text("URL"),
      "the gRPC endpoint, http:// (h2c) or https://",
      default: "remembered from login"
    ),
    OptionSpec(
      "dialect",
      .choice("NAME", ["skyconnect", "ksn"]),
      "skyconnect or ksn",
      default: "remembered, else skyconnect"
    ),
    OptionSpec(
      "token-model",
      .choice("NAME", ["access-refresh", "opaque"]),
      "access-refresh or opaque",
      default: "remembered, else access-refresh"
    ),
    OptionSpec(
      "vault",
      .choice(
        "NAME",
        vaults + vaultsOfOtherBuilds.filter { !vaults.contains($0) },
        absent: vaultsElsewhere
      ),
      "where the storage key lives: \(vaults.joined(separator: ", "))",
      default: "the store's; auto, the best that works, for a new one"
    ),
    OptionSpec(
      "keep-unlocked",
      .integer("SECONDS", 1...604_800),
      "how long the passphrase is not asked for again by commands with this option, until logout",
      default: "asked for by every command"
    ),
    OptionSpec(
      "ca-file",
      .file("FILE"),
      "trust these roots instead of the system's",
      default: "the system's"
    ),
    OptionSpec(
      "access-token",
      .choice("WHERE", ["stored", "memory"]),
      "keep the access token at rest (encrypted) or in memory only",
      default: "stored"
    ),
    OptionSpec(
      "pin",
      .text("sha256//BASE64"),
      repeats: true,
      "SPKI pin of the server's key; several mean any of them",
      default: "none; not remembered, as --ca-file is not"
    ),
    OptionSpec(
      "device-id",
      .text("ID"),
      "a fixed device id, remembered with the profile",
      default: "made at first sign-in"
    ),
    OptionSpec(
      "max-body",
      .integer("BYTES", 1...(1 << 31)),
      "largest answer read into memory",
      default: "8388608"
    ),
    OptionSpec(
      "timeout",
      .seconds("SECONDS"),
      "the whole of one HTTP attempt or unary call",
      default: "30"
    ),
    OptionSpec("json", .flag, "one JSON object a line on stdout, nothing else there"),
    OptionSpec("quiet", .flag, "errors only on stderr"),
    OptionSpec("verbose", .flag, "more on stderr"),
  ]
}
