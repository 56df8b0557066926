#if SecretService && os(Linux)
@testable import SecureStorage

import Glibc
import Testing

/// The real keyring daemon on a bus of its own, with a keyring whose password is `pässword`.
///
/// The bus starts it at the first call, as a desktop's does, and that call waits until it is there.
final class PrivateKeyring: Sendable {
  private static let login = "/org/freedesktop/secrets/collection/login"
  private static let password = "pässword"

  let bus: PrivateBus

  /// A daemon with an unlocked default keyring, or with none.
  init(withKeyring: Bool = true) throws {
    bus = try PrivateBus(TemporaryHome())
    TemporaryHome.write(
      Array(
        """
        [D-BUS Service]
        Name=org.freedesktop.secrets
        Exec=/bin/sh \(bus.home.path)/start
        """.utf8
      ),
      to: bus.services + "/org.freedesktop.secrets.service"
    )
    try start(unlocking: withKeyring)
  }

  var address: String { bus.address }

  func vault(
    _ account: String = "/home/jörg/profile",
    patience: Duration = .seconds(60)
  ) -> SecretServiceVault {
    SecretServiceVault(account: account, busAddress: address, patience: patience)
  }

  /// Starts a daemon where there is none, and returns when it is on the bus.
  func start(unlocking: Bool) throws {
    TemporaryHome.write(Array(Self.password.utf8), to: bus.home.path + "/password")
    let script = """
      command -v gnome-keyring-daemon >/dev/null || exit 127
      echo $$ >'\(bus.home.path)/pid'
      exec gnome-keyring-daemon --foreground --components=secrets \
      \(unlocking ? "--unlock <'\(bus.home.path)/password'" : "") >/dev/null 2>&1
      """
    TemporaryHome.write(Array(script.utf8), to: bus.home.path + "/start")
    do {
      _ = try secrets()
    } catch {
      Issue.record("\(error): on Debian, apt-get install gnome-keyring libsecret-1-0")
      throw error
    }
  }

  /// Keeps the bus from starting a daemon again.
  func forbidStarting() { TemporaryHome.write(Array("exit 1".utf8), to: bus.home.path + "/start") }

  /// Sends the daemon a signal.
  func signal(_ number: CInt) throws {
    let text = String(decoding: TemporaryHome.bytes(of: bus.home.path + "/pid"), as: UTF8.self)
    let pid = try #require(pid_t(text.split(separator: "\n").first ?? ""))
    kill(pid, number)
  }

  /// Kills the daemon, and returns when the bus knows that it is gone.
  func killDaemon() async throws {
    let (changes, continuation) = AsyncStream<Void>.makeStream()
    let observation = UnlockingListener.start(address, patience: .seconds(60)) {
      continuation.yield()
    }
    try signal(SIGKILL)
    for await _ in changes where try !isRunning() { break }
    withExtendedLifetime(observation) {}
  }

  func lock() throws {
    try secrets().call(SecretBus.root, "org.freedesktop.Secret.Service", "LockService", reply: "()")
  }

  /// Unlocks as the daemon's own prompt does, which tells of it on the bus.
  func unlock() throws {
    let secrets = try secrets()
    let password = Self.password.utf8CString.withUnsafeBufferPointer { text in
      secrets.sealed(UnsafeBufferPointer(rebasing: text.dropLast()))
    }
    try secrets.call(
      SecretBus.root,
      "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface",
      "UnlockWithMasterPassword",
      .path(Self.login),
      password,
      reply: "()"
    )
  }

  /// Adds an item beside the vault's, with the same attributes.
  func addItem(_ text: String, account: String = "/home/jörg/profile", kind: String) throws {
    let secrets = try secrets()
    try secrets.call(
      Self.login,
      "org.freedesktop.Secret.Collection",
      "CreateItem",
      .properties([
        (
          "org.freedesktop.Secret.Item.Attributes",
          .texts([
            ("xdg:schema", "MobileAuthCore.Vault"), ("account", account), ("kind", kind),
          ])
        )
      ]),
      text.utf8CString.withUnsafeBufferPointer {
        secrets.sealed(UnsafeBufferPointer(rebasing: $0.dropLast()))
      },
      .flag(false),
      reply: "(oo)"
    )
  }

  /// The items in the keyring, of every account.
  func items() throws -> [String] {
    try secrets().property("Items", of: Self.login, "org.freedesktop.Secret.Collection")?
      .members.compactMap(\.path) ?? []
  }

  private func isRunning() throws -> Bool {
    let connection = try DBusConnection(address: address, patience: .seconds(60))
    return try connection.call(
      "org.freedesktop.DBus",
      "/org/freedesktop/DBus",
      "org.freedesktop.DBus",
      "NameHasOwner",
      [.text(SecretBus.name)],
      reply: "(b)"
    ).first?.flag ?? false
  }

  private func secrets() throws -> SecretBus {
    try SecretBus(on: DBusConnection(address: address, patience: .seconds(60)))
  }
}
#endif
