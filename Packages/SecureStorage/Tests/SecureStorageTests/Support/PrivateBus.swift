#if SecretService && os(Linux)
import Glibc
import Synchronization
import Testing

/// A session bus of one test's own, in its home; it ends with this object, or with the tests.
final class PrivateBus: Sendable {
  let home: TemporaryHome
  private let shell: pid_t
  private let lifeline: CInt

  var address: String { "unix:path=\(home.path)/bus" }

  /// The directory of the services that the bus may start.
  var services: String { home.path + "/services" }

  init(_ home: TemporaryHome) throws {
    self.home = home
    for folder in ["run", "data", "services"] { mkdir("\(home.path)/\(folder)", 0o700) }
    TemporaryHome.write(
      Array(
        """
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(home.path)/bus</listen>
          <servicedir>\(home.path)/services</servicedir>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """.utf8
      ),
      to: home.path + "/bus.conf"
    )
    // The shell ends the bus when our end of its input is closed, be it by a crash.
    let script = """
      cd "$HOME"
      dbus-daemon --config-file=bus.conf --nofork --print-address 2>/dev/null & bus=$!
      read line; kill $bus; wait $bus
      """
    let environment = [
      "PATH=/usr/bin:/bin", "HOME=\(home.path)", "XDG_RUNTIME_DIR=\(home.path)/run",
      "XDG_DATA_HOME=\(home.path)/data", "DBUS_SESSION_BUS_ADDRESS=unix:path=\(home.path)/bus",
    ]
    var ends: [CInt] = [0, 0]
    socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    actions.closeOthers()
    let words = ["sh", "-c", script]
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    var child: pid_t = 0
    // The threads of tests block signals, which a child would inherit.
    var attributes = posix_spawnattr_t()
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    let status = posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, &variables)
    posix_spawnattr_destroy(&attributes)
    posix_spawn_file_actions_destroy(&actions)
    for text in arguments + variables { free(text) }
    close(ends[1])
    (shell, lifeline) = (child, ends[0])
    var line = [UInt8](repeating: 0, count: 256)
    // Its address is the first thing that a bus says, once it listens.
    let count = status == 0 ? read(lifeline, &line, line.count) : 0
    try #require(
      count > 0 && line.starts(with: Array("unix:".utf8)),
      "dbus-daemon does not start; on Debian: apt-get install dbus"
    )
  }

  deinit { stop() }

  /// Ends the bus, and with it what it started.
  func stop() {
    guard stopped.exchange(true, ordering: .relaxed) == false else { return }
    close(lifeline)
    waitpid(shell, nil, 0)
  }

  private let stopped = Atomic(false)
}
#endif
