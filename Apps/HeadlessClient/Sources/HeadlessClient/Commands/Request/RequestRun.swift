internal import AuthNetworking

/// One request sent many times, when a schedule says so.
struct RequestRun {
  let controller: SessionController
  let request: APIRequest
  /// Whether each request gets an idempotency key of its own.
  let makesKeys: Bool
  let clock: CommandClock

  /// What came of one request.
  struct Answer: Sendable {
    /// The answer, or why there is none.
    var result: Result<APIResponse, AuthError>
    /// How long it took, with the refresh and the second try that it may have needed.
    var latency: Duration
  }

  /// Whether the run goes on.
  enum Verdict { case goOn, stop }

  private enum Event: Sendable {
    case answer(Answer)
    case timeIsUp
  }

  /// Hands the answers over, one at a time in the order in which they come.
  ///
  /// While one is being handled no other is started in its place: a slow reader slows the
  /// requests down, and no heap of answers grows.
  ///
  /// - Parameters:
  ///   - schedule: says when requests start, and when there are no more.
  ///   - handle: where it throws, what is under way is cancelled and no more is sent; where it
  ///     says ``Verdict/stop``, what is under way is waited for. What was cancelled before it was
  ///     answered is not handed over.
  /// - Throws: what `handle` throws.
  func forEachAnswer(
    by schedule: RequestSchedule,
    _ handle: (Answer) async throws(ClientError) -> Verdict
  ) async throws(ClientError) {
    let outcome = await withTaskGroup(
      of: Event.self,
      returning: Result<Void, ClientError>.self
    ) { group in
      let start = clock.now()
      var schedule = schedule
      var underWay = 0
      var isTiming = false
      loop: while true {
        if Task.isCancelled { schedule.stop() }
        switch schedule.next(at: clock.now() - start, underWay: underWay) {
        case .start:
          underWay += 1
          add(to: &group)
          continue loop
        case .wait(let time):
          // One timer at a time: it is started again when it has run out.
          if !isTiming { addTimer(time - (clock.now() - start), to: &group) }
          isTiming = true
        case .awaitAnswer: break
        case .end: break loop
        }
        switch await group.next() {
        case nil: break loop
        case .timeIsUp: isTiming = false
        case .answer(let answer):
          underWay -= 1
          do throws(ClientError) {
            if try await handle(answer) == .stop { schedule.stop() }
          } catch {
            group.cancelAll()
            return .failure(error)
          }
        }
      }
      group.cancelAll()
      return .success(())
    }
    try outcome.get()
  }

  private func addTimer(_ duration: Duration, to group: inout TaskGroup<Event>) {
    group.addTask { [clock] in
      await clock.sleep(duration)
      return .timeIsUp
    }
  }

  private func add(to group: inout TaskGroup<Event>) {
    var request = request
    if makesKeys { request.idempotencyKey = IdempotencyKey() }
    group.addTask { [controller, request, clock] in
      let start = clock.now()
      let result = await RequestRun.answer(controller, request)
      return .answer(Answer(result: result, latency: clock.now() - start))
    }
  }

  private static func answer(
    _ controller: SessionController,
    _ request: APIRequest
  ) async -> Result<APIResponse, AuthError> {
    do {
      return .success(try await controller.send(request))
    } catch {
      return .failure(error)
    }
  }
}
