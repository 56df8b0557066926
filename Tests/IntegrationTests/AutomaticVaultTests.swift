import Foundation
import Testing

#if os(Linux)
/// The vault that nobody named, with the real keyring daemon on a bus of its own.
@Suite struct AutomaticVaultTests {
  private let home: ClientHome

  init() throws { home = try ClientHome() }

  /// Runs lines of a shell on a bus of their own, where `$client` is the headless client, and
  /// `unlock` and `lock` do that with the default keyring.
  private func run(_ lines: String) async throws -> Outcome {
    try FileManager.default.createDirectory(atPath: home.path, withIntermediateDirectories: true)
    let script = """
      for program in dbus-daemon gnome-keyring-daemon dbus-send; do
        command -v $program >/dev/null || { echo "$program: apt-get install gnome-keyring dbus"; exit 1; }
      done
      client='\(Executable.headlessClient.url.path)'
      bus=$(dbus-daemon --session --fork --print-address=1 --print-pid=1 </dev/null)
      export DBUS_SESSION_BUS_ADDRESS=$(echo "$bus" | head -n 1)
      ask() { dbus-send --session --print-reply "$@"; }
      find_keyring() {
        keyring=$(ask --dest=org.freedesktop.DBus / \\
          org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.secrets \\
          2>/dev/null | awk '/uint32/ { print $2 }')
      }
      finish() { find_keyring; kill -KILL $keyring $(echo "$bus" | tail -n 1); }
      trap finish EXIT
      # The daemon goes into the background before it is on the bus, which would start another one,
      # without the password, for a client that comes first.
      unlock() {
        printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
        until find_keyring; [ -n "$keyring" ]; do sleep 0.05; done
      }
      lock() {
        ask --dest=org.freedesktop.secrets /org/freedesktop/secrets \\
          org.freedesktop.Secret.Service.LockService >/dev/null
      }
      \(lines)
      """
    let process = try RunningProcess(
      URL(filePath: "/bin/sh"),
      ["-c", script],
      environment: [
        "HEADLESS_CLIENT_HOME": "\(home.path)/home", "HEADLESS_CLIENT_JSON": "1",
        "HOME": home.path, "XDG_DATA_HOME": "\(home.path)/data",
        "XDG_RUNTIME_DIR": home.path, "TSS2_TCTI": "none", "TPM2TOOLS_TCTI": "none",
      ],
      input: ""
    )
    return await process.outcome()
  }

  private let vault = #""vault":"secret-service""#

  @Test func `a keyring is better than a file, and the store stays with it`() async throws {
    let first = try await run("unlock; $client store set k v; $client store info")
    #expect(first.output.contains(vault), "\(first.everything)")
    #expect(first.errors.contains("The key of the new store is in the vault secret-service"))
    // Without a bus it is not there, and nothing else takes its place.
    let gone = try await run(
      "DBUS_SESSION_BUS_ADDRESS=unix:path=/gone $client store get k; echo $?"
    )
    #expect(gone.errors.contains(#""code":"vaultUnavailable""#), "\(gone.everything)")
    #expect(gone.output.hasSuffix("74\n"))
    let again = try await run("unlock; $client store get k")
    #expect(again.output.contains(#""value":"v""#), "\(again.everything)")
  }

  @Test func `a locked keyring is not passed over for a file`() async throws {
    let outcome = try await run(
      """
      unlock; lock; $client store set k v; echo $?; $client store info; echo $?
      """
    )
    #expect(outcome.output == "74\n69\n", "\(outcome.everything)")
    #expect(outcome.errors.contains(#""code":"vaultLocked""#))
  }

  @Test func `a keyring that hangs is not passed over for a file`() async throws {
    let outcome = try await run(
      """
      unlock
      kill -STOP $keyring
      $client store set k v; echo $?; $client store info; echo $?
      $client store set k v --vault file >/dev/null; echo $?
      """
    )
    #expect(outcome.output == "74\n69\n0\n", "\(outcome.everything)")
    #expect(outcome.errors.contains(#""code":"vaultUnavailable""#))
    #expect(outcome.errors.contains("--vault file"))
  }

  @Test func `a home that was copied elsewhere opens no session`() async throws {
    let outcome = try await run(
      """
      unlock; $client store set k v >/dev/null; cp -a "$HEADLESS_CLIENT_HOME" "$HOME/copy"
      HEADLESS_CLIENT_HOME="$HOME/copy" $client status
      """
    )
    #expect(outcome.output.contains(#""reason":"keyLost""#), "\(outcome.everything)")
  }

  @Test func `an old copy of the home ends the session, and the next sign-in starts afresh`()
    async throws
  {
    let backend = try await RunningBackend.start()
    defer { backend.process.signal(SIGTERM) }
    let outcome = try await run(
      """
      export HEADLESS_CLIENT_PASSWORD=Correct-Horse-1-battery
      unlock
      $client register --username ada --email ada@example.com --base-url \(backend.url)
      cp -a "$HEADLESS_CLIENT_HOME" "$HOME/copy"
      $client refresh >/dev/null
      rm -r "$HEADLESS_CLIENT_HOME"; cp -a "$HOME/copy" "$HEADLESS_CLIENT_HOME"
      echo '== status'; $client status; echo $?
      echo '== whoami'; $client whoami; echo $?
      echo '== get'; $client store get k; echo $?
      echo '== login'; $client login ada@example.com; echo $?
      echo '== whoami again'; $client whoami; echo $?
      """
    )
    let parts = outcome.output.components(separatedBy: "== ")
    #expect(parts.count == 6, "\(outcome.everything)")
    func part(_ name: String) -> String { parts.first { $0.hasPrefix(name + "\n") } ?? "" }
    #expect(part("status").contains(#""reason":"tampered""#), "\(outcome.everything)")
    #expect(part("status").hasSuffix("\n0\n"))
    #expect(part("whoami") == "whoami\n77\n")
    #expect(part("get") == "get\n74\n")
    #expect(part("login").hasSuffix("\n0\n"), "\(outcome.everything)")
    #expect(part("whoami again").hasSuffix("\n0\n"))
    #expect(outcome.errors.contains("The old store lies in"))
    await backend.stop()
  }
}
#endif
