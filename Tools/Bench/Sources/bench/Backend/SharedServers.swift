import BenchKit
import Foundation

/// A PostgreSQL and a Redis server for the time of a measurement, as they are when installed.
final class SharedServers {
  let database: String
  let redis: String
  private let shell = Process()
  private let lifeline = Pipe()

  /// The servers end with the shell, and the shell with its input.
  private static let script = """
    set -eu
    directory=$1
    mkdir "$directory"
    binaries=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
    run=()
    if [ "$(id -u)" = 0 ]; then
      chmod 711 "$(dirname "$directory")"
      chown postgres "$directory"
      run=(setpriv --reuid=postgres --regid=postgres --clear-groups)
    fi
    cd "$directory"
    exec 3>&1 >"$directory/log" 2>&1
    "${run[@]}" "$binaries/initdb" -D "$directory/data" -U postgres --auth=trust -E UTF8 --locale=C
    "${run[@]}" "$binaries/postgres" -D "$directory/data" -k "$directory" -h '' \\
      -c max_connections=100 </dev/null & database=$!
    redis-server --port "$2" --bind 127.0.0.1 --save '' </dev/null & redis=$!
    until "$binaries/pg_isready" -q -h "$directory" && redis-cli -p "$2" ping; do sleep 0.1; done
    echo ready >&3
    read -r line || true
    # Foundation may have started this shell with every other signal blocked, which Redis leaves so.
    kill -INT $database
    kill -KILL $redis
    wait
    """

  /// Starts both; blocks until they serve.
  init(in scratch: ScratchDirectory, port: UInt16 = 16_379) throws {
    let directory = scratch.path("servers-\(UInt32.random(in: 0...(.max)))")
    shell.executableURL = URL(fileURLWithPath: "/bin/bash")
    shell.arguments = ["-c", Self.script, "bash", directory, String(port)]
    let output = Pipe()
    shell.standardInput = lifeline
    shell.standardOutput = output
    try shell.run()
    guard !output.fileHandleForReading.availableData.isEmpty else {
      throw Failure("PostgreSQL or Redis does not start; see \(directory)/log")
    }
    database = "postgres://postgres@localhost/postgres?host=\(directory)"
    redis = "redis://127.0.0.1:\(port)"
  }

  /// Ends both.
  func stop() throws {
    try lifeline.fileHandleForWriting.close()
    shell.waitUntilExit()
  }
}
