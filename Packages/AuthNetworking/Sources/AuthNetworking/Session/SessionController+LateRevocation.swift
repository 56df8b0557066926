internal import SessionModels
internal import Synchronization

// Tokens that came too late to be stored must not live on at the server (R4).
extension SessionController {
  /// Tries until the server has said something, less and less often, from memory only.
  func revokeLater(_ info: AuthInfo, afterFailure: Bool = false) {
    let first = afterFailure ? nil : track { await self.revoke(info) != .failed }
    Task.detached { [weak self, clock] in
      if let first, await first.value { return }
      var wait = Duration.seconds(2)
      while true {
        guard (try? await clock.sleep(for: wait)) != nil else { return }
        guard let self, await revoke(info) == .failed else { return }
        wait = min(wait * 2, .seconds(300))
      }
    }
  }

  /// Waits for a refresh that nobody waits for any more: the server may rotate all the same, and
  /// what it issues then is revoked.
  func revoke(abandoned exchange: Task<RefreshAnswer, Never>, of flight: FlightID, base: AuthInfo) {
    track {
      let answer = await exchange.value
      if case .rotated = answer { self.feed(.answered(flight, answer, base: base)) }
      return true
    }
  }

  /// Waits until tokens that came too late to be stored are revoked, as after a sign-out in
  /// another process; for the configured time for signing out at most.
  ///
  /// A process that ends soon calls it last: what it does not wait for dies with it (R4).
  public func finishRevocations() async {
    guard core.withLock({ !$0.revocations.isEmpty }) else { return }
    let done = FirstResult<Void>()
    let deadline = configuration.logoutTimeout
    let timer = Task.detached { [clock] in
      guard (try? await clock.sleep(for: deadline)) != nil else { return }
      done.resolve(())
    }
    Task.detached { [self] in
      while let next = core.withLock({ $0.revocations.values.first }) { _ = await next.value }
      done.resolve(())
    }
    await done.value
    timer.cancel()
  }

  @discardableResult
  private func track(_ work: @escaping @Sendable () async -> Bool) -> Task<Bool, Never> {
    core.withLock { core in
      core.revocationCount += 1
      let number = core.revocationCount
      let task = Task.detached { [self] in
        let result = await work()
        self.core.withLock { core in _ = core.revocations.removeValue(forKey: number) }
        return result
      }
      core.revocations[number] = task
      return task
    }
  }
}
