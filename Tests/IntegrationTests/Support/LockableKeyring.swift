import Foundation

#if os(Linux)
import Glibc

/// The real keyring daemon on a bus of its own, which can be locked and unlocked as a desktop does
/// it; both end with the test.
final class LockableKeyring: Sendable {
  private static let password = "pw"

  private let home: String
  private let process: RunningProcess
  /// Of the daemon, the bus, and what holds the shell's output open.
  private let pids: [pid_t]
  /// Of the bus.
  let address: String

  /// Starts both, with an unlocked default keyring.
  static func start() async throws -> LockableKeyring {
    let home = FileManager.default.temporaryDirectory
      .appending(path: "keyring-\(UUID().uuidString.prefix(8))").path
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let script = """
      bus=$(dbus-daemon --session --fork --print-address=1 --print-pid=1 </dev/null)
      export DBUS_SESSION_BUS_ADDRESS=$(echo "$bus" | head -n 1)
      printf \(password) | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
      until [ -n "$keyring" ]; do
        keyring=$(dbus-send --session --print-reply --dest=org.freedesktop.DBus / \\
          org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.secrets \\
          2>/dev/null | awk '/uint32/ { print $2 }')
        [ -n "$keyring" ] || sleep 0.05
      done
      sleep 600 &
      echo "$DBUS_SESSION_BUS_ADDRESS"
      echo "$keyring $(echo "$bus" | tail -n 1) $!"
      wait
      """
    let process = try RunningProcess(
      URL(filePath: "/bin/sh"),
      ["-c", script],
      environment: ["HOME": home, "XDG_DATA_HOME": home + "/data", "XDG_RUNTIME_DIR": home],
      input: ""
    )
    let lines = await process.waitForLines(2)
    guard lines.count == 2, lines[0].hasPrefix("unix:") else {
      throw RunningBackend.StartFailure(
        said: "apt-get install dbus gnome-keyring\n" + (await process.outcome().everything)
      )
    }
    let pids = lines[1].split(separator: " ").compactMap { pid_t($0) }
    return LockableKeyring(home, process, lines[0], pids)
  }

  private init(_ home: String, _ process: RunningProcess, _ address: String, _ pids: [pid_t]) {
    (self.home, self.process, self.address, self.pids) = (home, process, address, pids)
  }

  /// Ends both.
  func stop() async {
    // Nothing gentler: children inherit the signals that the tests' threads block.
    for pid in pids { kill(pid, SIGKILL) }
    process.signal(SIGKILL)
    _ = await process.outcome()
    try? FileManager.default.removeItem(atPath: home)
  }

  /// Locks the keyring, as a desktop does when its user goes.
  func lock() async throws {
    let locking = try RunningProcess(
      URL(filePath: "/usr/bin/env"),
      [
        "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.secrets",
        "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.LockService",
      ],
      environment: ["DBUS_SESSION_BUS_ADDRESS": address],
      input: ""
    )
    let outcome = await locking.outcome()
    guard outcome.status == 0 else { throw RunningBackend.StartFailure(said: outcome.everything) }
  }

  /// Unlocks it over the daemon's control socket, as a login does.
  func unlock() throws {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) {
      $0.copyBytes(from: Array((home + "/keyring/control").utf8))
    }
    let isConnected = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isConnected else { throw RunningBackend.StartFailure(said: "no control socket") }
    func number(_ value: Int) -> [UInt8] {
      withUnsafeBytes(of: UInt32(value).bigEndian) { Array($0) }
    }
    let password = Array(LockableKeyring.password.utf8)
    // A byte that carries who we are; then the length of all, 1 for unlocking, and the password.
    let message = [0] + number(12 + password.count) + number(1) + number(password.count) + password
    var answer = [UInt8](repeating: 0xFF, count: 8)
    guard write(socket, message, message.count) == message.count,
      read(socket, &answer, answer.count) == answer.count, answer == number(8) + number(0)
    else { throw RunningBackend.StartFailure(said: "the keyring was not unlocked") }
  }
}
#endif
