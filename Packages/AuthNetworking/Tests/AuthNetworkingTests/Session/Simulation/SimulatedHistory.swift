import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Synchronization

/// One random history of processes that share a session, decided by a seed: what happens to
/// them, in which order their tasks run, and what goes wrong on the way.
final class SimulatedHistory {
  /// How a request or a call ended.
  private final class Call: Sendable {
    let process: Int
    private let ended = Atomic(false)

    init(process: Int) { self.process = process }

    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    func end() { ended.store(true, ordering: .releasing) }
  }

  private let world: SimulatedWorld
  private let scheduler: SimulationScheduler
  private var random: SeededGenerator
  private var processes: [SimulatedProcess] = []
  private var started = 0
  private var calls: [Call] = []
  /// Whether the user or the server has ended a session on purpose.
  private var isEndedOnPurpose = false
  private var signIns = 0
  /// Each with the number of sign-ins that had begun before it.
  private var logouts: [(call: Call, signIns: Int)] = []

  /// Plays the history of a seed, and leaves nothing for the next one.
  ///
  /// - Returns: The rules that were broken.
  static func play(seed: UInt64, on scheduler: SimulationScheduler) -> [String] {
    var broken: [String]
    do { broken = try SimulatedHistory(seed: seed, on: scheduler).play() } catch {
      broken = ["the history could not be played: \(error)"]
    }
    var random = SeededGenerator(seed: 0)
    scheduler.run(choosing: &random)
    return broken
  }

  private init(seed: UInt64, on scheduler: SimulationScheduler) {
    world = SimulatedWorld(seed: seed)
    random = SeededGenerator(seed: seed &* 31 &+ 7)
    self.scheduler = scheduler
  }

  private func play() throws -> [String] {
    for _ in 0..<1 + random.below(2) { try startProcess() }
    for _ in 0..<20 + random.below(30) {
      try act()
      scheduler.run(atMost: random.below(60), choosing: &random)
      if random.once(in: 2) { moveOn() }
    }
    world.heal()
    if processes.isEmpty { try startProcess() }
    // Who was told to leave may not have got to it yet.
    settle()
    for process in processes { comeBack(process) }
    settle()
    assertEnd()
    for process in processes { process.kill() }
    settle()
    return world.violations
  }

  // MARK: What happens

  private func act() throws {
    switch random.below(28) {
    case 0..<11: if let process = anybody() { request(process) }
    case 11: if let process = anybody() { refresh(process) }
    case 12..<14: if processes.count < 3 { try startProcess() }
    case 14, 15: killSomebody()
    case 16: world.setLocked(true)
    case 17, 18: world.setLocked(false)
    case 19: world.clock.shiftWall(by: Double(random.below(7200)) - 3600)
    case 20: world.server.revokeAccessTokens()
    case 21: if random.once(in: 4) { revoke() }
    case 23: if let process = anybody() { reauthenticate(process) }
    case 24, 25: if let process = anybody() { leave(process) }
    case 26: if let process = anybody() { comeBack(process) }
    case 22: if random.once(in: 4), let process = anybody() { logOut(process) }
    default: if random.once(in: 2), let process = anybody() { signIn(process) }
    }
  }

  private func anybody() -> SimulatedProcess? {
    processes.isEmpty ? nil : processes[random.below(processes.count)]
  }

  private func startProcess() throws {
    started += 1
    processes.append(try SimulatedProcess(number: started, in: world))
  }

  private func killSomebody() {
    guard !processes.isEmpty else { return }
    processes.remove(at: random.below(processes.count)).kill()
  }

  private func request(_ process: SimulatedProcess) {
    let path = "/things/\(calls.count)"
    let task = start(on: process) { try? await $0.send(APIRequest(.get, path)) }
    guard random.once(in: 6) else { return }
    scheduler.run(atMost: random.below(40), choosing: &random)
    task.cancel()
  }

  private func refresh(_ process: SimulatedProcess) {
    start(on: process) { controller in try? await controller.refresh() }
  }

  private func reauthenticate(_ process: SimulatedProcess) {
    start(on: process) { controller in
      _ = try? await controller.reauthenticate(
        password: RotatingServer.password,
        identifier: RotatingServer.email
      )
    }
  }

  /// The app goes to the background; what it begins there fails, or goes out with a living token.
  private func leave(_ process: SimulatedProcess) {
    let bound = Duration.seconds(1 + random.below(20))
    let world = world
    let comebacks = process.comebacks.load(ordering: .acquiring)
    start(on: process) { controller in
      let readiness = await controller.appWillResignActive(within: bound)
      world.require(
        "ready to be suspended with the lock held",
        readiness != .ready || !process.lock.isHeld || !process.life.isAlive
          || process.comebacks.load(ordering: .acquiring) != comebacks
      )
    }
  }

  private func comeBack(_ process: SimulatedProcess) {
    process.comebacks.add(1, ordering: .acquiringAndReleasing)
    start(on: process) { controller in _ = try? await controller.appDidBecomeActive() }
  }

  private func revoke() {
    isEndedOnPurpose = true
    world.server.revokeEverything()
  }

  private func logOut(_ process: SimulatedProcess) {
    isEndedOnPurpose = true
    world.noteSessionChange()
    start(on: process) { controller in await controller.logout() }
    if let call = calls.last { logouts.append((call, signIns)) }
  }

  private func signIn(_ process: SimulatedProcess) {
    signIns += 1
    world.noteSessionChange()
    start(on: process) { controller in
      _ = try? await controller.login(
        Credentials(identifier: RotatingServer.email, password: RotatingServer.password)
      )
    }
  }

  @discardableResult
  private func start<Result: Sendable>(
    on process: SimulatedProcess,
    _ body: @escaping @Sendable (SessionController) async -> Result
  ) -> Task<Void, Never> {
    let call = Call(process: process.number)
    calls.append(call)
    let controller = process.controller
    return Task.detached {
      _ = await body(controller)
      if process.life.isAlive { call.end() }
    }
  }

  // MARK: Time

  /// To the next sleeper's end, or a part of the way.
  private func moveOn() {
    guard let next = world.clock.nextWake else { return }
    let now = world.clock.now
    world.clock.advance(to: random.once(in: 4) ? now + (next - now) / 2 : next)
  }

  /// Lets everything come to its end; what repeats for ever is left after an hour.
  private func settle() {
    let end = world.clock.now + .seconds(3600)
    while true {
      scheduler.run(choosing: &random)
      guard let next = world.clock.nextWake, next < end else { return }
      world.clock.advance(to: next)
    }
  }

  // MARK: What must hold

  private func assertEnd() {
    world.require("R2: a spent token was presented again", world.server.counts.reuses == 0)
    let living = Set(processes.map(\.number))
    for call in calls where living.contains(call.process) {
      world.require("a call never ended", call.hasEnded)
    }
    let stored = try? world.slot.record()
    world.require("the store cannot be read", stored != nil)
    if !isEndedOnPurpose {
      world.require(
        "R5: signed out by accident (\(stored?.signOutReason.rawValue ?? "-"))",
        stored?.authInfo != nil
      )
    }
    // A sign-in that was under way loses too, whichever process it was in.
    let isLoggedOut = logouts.contains { $0.call.hasEnded && $0.signIns == signIns }
    world.require("R4: signed in after a logout", !isLoggedOut || stored?.authInfo == nil)
    for process in processes {
      world.require(
        "R13: the process says \(process.controller.state), the store something else",
        process.controller.state.isSignedIn == (stored?.authInfo != nil)
      )
    }
    assertAlive()
    assertSilent()
  }

  /// Who is signed in by no accident can use it, now that nothing goes wrong any more.
  private func assertAlive() {
    guard !isEndedOnPurpose, let process = processes.first else { return }
    let status = LastStatus()
    let controller = process.controller
    // The answer to a resent attempt may hold an access token that was revoked meanwhile; its 401
    // is returned, and the next request refreshes (R6).
    for number in 0..<3 where status.value.load(ordering: .acquiring) != 200 {
      // Past every back-off, and past what a server may ask for.
      world.clock.advance(to: world.clock.now + .seconds(400))
      settle()
      Task.detached {
        let answer = try? await controller.send(APIRequest(.get, "/things/last-\(number)"))
        status.value.store(answer?.status ?? 0, ordering: .releasing)
      }
      settle()
    }
    world.require("R5: the session is of no use", status.value.load(ordering: .acquiring) == 200)
    world.require("R2: a spent token was presented again", world.server.counts.reuses == 0)
  }

  private final class LastStatus: Sendable {
    let value = Atomic(0)
  }

  /// R9, of everything that was logged.
  private func assertSilent() {
    let said = world.log.text
    // What the server's opaque tokens, its JWTs and its password have in common.
    let found = ["token-number-", "opaque-access-", "eyJ", RotatingServer.password.reveal()]
    world.require("R9: a secret was logged", !found.contains { said.contains($0) })
  }
}
