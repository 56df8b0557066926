import AuthNetworking
import AuthNetworkingTesting

/// One process's network: slow, lossy, and in front of a server that fails now and then.
final class SimulatedNetwork: HTTPTransport {
  private let world: SimulatedWorld
  private let life: ProcessLife

  init(_ world: SimulatedWorld, _ life: ProcessLife) {
    self.world = world
    self.life = life
  }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    guard life.isAlive else { throw SimulatedNetwork.dead }
    world.noteSent(request)
    let isRefresh = request.url.path == "/auth/refresh"
    if isRefresh { world.refreshBegins(by: life) }
    defer { if isRefresh { world.refreshEnds(by: life) } }
    await world.pause(upTo: world.faults(once: 30) ? 90 : 2)
    // What was sent before the process died may still arrive.
    if !life.isAlive, world.chance(once: 2) { throw SimulatedNetwork.dead }
    if world.faults(once: 12) { throw TransportError(.network, "The connection was refused") }
    if isRefresh, world.faults(once: 6) { world.failNextRefresh() }
    if !isRefresh, world.faults(once: 15) { return HTTPResponse(status: 503) }
    let answer = try world.server.answer(request)
    await world.pause(upTo: world.faults(once: 30) ? 90 : 2)
    guard life.isAlive else { throw SimulatedNetwork.dead }
    if Task.isCancelled { throw TransportError(.cancelled, "The request was cancelled") }
    if world.faults(once: 12) { throw TransportError(.network, "The connection was reset") }
    return answer
  }

  private static let dead = TransportError(.network, "The process is dead")
}
