internal import Synchronization

/// The realtime server of a running backend, which may be another one after a restart.
final class RealtimeHost: Sendable {
  private struct State {
    var server: RealtimeServer?
    var isRestarting = false
    var isStopped = false
  }

  let port: UInt16
  private let core: BackendCore
  private let state: Mutex<State>

  /// How long calls in hand may take at a restart.
  private static let grace = Duration.seconds(2)

  /// Starts to serve.
  ///
  /// - Throws: ``BackendError`` where it cannot listen, or does not accept the certificate.
  init(_ core: BackendCore, port: UInt16) async throws(BackendError) {
    let server = try await RealtimeServer(core, port: port)
    (self.core, self.port) = (core, server.port)
    state = Mutex(State(server: server))
  }

  /// Says goodbye to every client, and serves again on the same port; does nothing while another
  /// restart goes on.
  func restart() async {
    let server = state.withLock { state -> RealtimeServer? in
      guard !state.isStopped, !state.isRestarting else { return nil }
      state.isRestarting = true
      return state.server
    }
    guard let server else { return }
    let log = core.log(requestID: nil)
    log("realtime.leaving")
    await server.leave(within: Self.grace)
    do {
      let next = try await RealtimeServer(core, port: port)
      let isWanted = state.withLock { state in
        state.isRestarting = false
        guard !state.isStopped else { return false }
        state.server = next
        return true
      }
      if isWanted { log("realtime.restarted") } else { next.stop() }
    } catch {
      state.withLock { ($0.isRestarting, $0.server) = (false, nil) }
      log("realtime.failed", level: .error, ["error": error.message])
    }
  }

  /// Says goodbye to every client, lets calls in hand end, and stops for good.
  func leave(within grace: Duration) async {
    guard let server = state.withLock({ $0.server }) else { return }
    await server.leave(within: grace)
  }

  /// Closes every connection at once, for good.
  func stop() {
    let server = state.withLock { state in
      state.isStopped = true
      return state.server
    }
    server?.stop()
  }
}
