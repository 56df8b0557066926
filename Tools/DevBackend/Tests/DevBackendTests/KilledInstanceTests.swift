import DevBackendLoad
import Foundation
import Synchronization
import Testing

@testable import DevBackend
@testable import DevBackendCluster

/// Two `dev-backend` processes on one PostgreSQL database and one Redis server, under load.
@Suite(.timeLimit(.minutes(10))) struct KilledInstanceTests {
  @Test func `nobody is signed out while an instance is killed again and again, and nobody let in`()
    async throws
  {
    let url = try await PostgreSQLServer.shared.value.makeDatabase()
    let redis = try await RedisServer.shared.value.url
    let (report, kills) = try await Executable.off {
      let program = Executable.folder.appendingPathComponent("dev-backend")
      let options = ["--database", url, "--redis", redis]
      let steady = try BackendProcess(program, options: options)
      let killed = try BackendProcess(program, options: options)
      let isOver = Atomic(false)
      let kills = Atomic(0)
      let ended = DispatchSemaphore(value: 0)
      let load = RefreshLoad(
        ports: [steady.httpPort, killed.httpPort],
        clients: 20,
        refreshes: 1_000,
        revocations: 2
      )
      let report = try load.run {
        Thread {
          repeat {
            // Any moment will do: the load goes on beside it, whatever this finds it at.
            usleep(200_000)
            killed.kill()
            kills.add(1, ordering: .relaxed)
            do { try killed.start() } catch { Issue.record(error) }
          } while !isOver.load(ordering: .relaxed)
          ended.signal()
        }.start()
      }
      isOver.store(true, ordering: .relaxed)
      ended.wait()
      steady.kill()
      killed.kill()
      return (report, kills.load(ordering: .relaxed))
    }
    #expect(kills > 0)
    #expect(report.refreshes == 1_000)
    #expect(report.surprises == [])
    #expect((report.signedOut, report.acceptedTwice, report.acceptedRevoked) == (0, 0, 0))
    #expect(report.revocations == 2)
    #expect(report.revokedTried > 0)
    #expect(report.spentTried > 0)
    // Each client's refresh rotated once, however often it had to be asked for.
    let rotations = try await Executable.off {
      try PostgreSQLConnection(url: url, limit: .seconds(30))
        .run("SELECT SUM(generation) FROM families")[0].integer(0)
    }
    #expect(rotations == 1_000)
  }
}
