internal import Synchronization
public import SessionModels

/// Who is signed in, by the backend's word (`/auth/me`, in KSN `/api/users/me`).
///
/// However many ask at once, the backend is asked once; its answer is kept until ``reset(known:)``.
/// A failure is not kept, the next caller asks again. Call ``reset(known:)`` at every sign-in,
/// sign-out and change of account: an answer that was under way for the previous user is then
/// never taken for the next one's.
public final class CurrentUser: Sendable {
  private typealias Waiter = CheckedContinuation<Result<UserID, MessageError>, Never>

  private struct LookUp {
    var waiters: [UInt64: Waiter] = [:]
    var task: Task<Void, Never>?
  }

  private struct State {
    var known: UserID?
    var generation: UInt64 = 0
    var lookUp: LookUp?
    var nextTicket: UInt64 = 0
  }

  private let calls: MessageCalls
  private let state: Mutex<State>

  /// The current user behind a session.
  ///
  /// - Parameters:
  ///   - requests: performs requests for the signed-in user.
  ///   - dialect: how the backend writes users.
  ///   - known: the id where it is known already, e.g. stored with the session; nobody is then
  ///     asked.
  public init(
    requests: any AuthenticatedRequests,
    dialect: MessageDialect,
    known: UserID? = nil
  ) {
    calls = MessageCalls(requests: requests, dialect: dialect)
    state = Mutex(State(known: known))
  }

  /// The id where it is known, without asking anybody.
  public var known: UserID? { state.withLock { $0.known } }

  /// The id, asked for where it is not known yet.
  ///
  /// Cancelling a caller ends that caller promptly, and never the look-up that it shares.
  ///
  /// - Throws: ``MessageError/sessionChanged`` where ``reset(known:)`` comes in between,
  ///   ``MessageError/cancelled``, and what the look-up failed with.
  public func id() async throws(MessageError) -> UserID {
    if let known { return known }
    let ticket = state.withLock { state in
      state.nextTicket += 1
      return state.nextTicket
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { join(ticket: ticket, waiter: $0) }
    } onCancel: {
      leave(ticket: ticket)
    }
    return try result.get()
  }

  /// Whether a message was sent by the current user.
  ///
  /// - Throws: as ``id()``.
  public func isMine(_ message: GroupMessage) async throws(MessageError) -> Bool {
    try await id() == message.senderID
  }

  /// Forgets the user, at sign-in, sign-out and change of account.
  ///
  /// Whoever waits for the previous user's id gets ``MessageError/sessionChanged``.
  ///
  /// - Parameter known: the next user's id where it is known already.
  public func reset(known: UserID? = nil) {
    let lookUp = state.withLock { state in
      state.generation += 1
      state.known = known
      defer { state.lookUp = nil }
      return state.lookUp
    }
    lookUp?.task?.cancel()
    for waiter in (lookUp?.waiters ?? [:]).values {
      waiter.resume(returning: .failure(.sessionChanged))
    }
  }
}

extension CurrentUser {
  private func join(ticket: UInt64, waiter: Waiter) {
    let answer: Result<UserID, MessageError>? = state.withLock { state in
      if let known = state.known { return .success(known) }
      // Cancelled before it joined, so `leave` found nothing. The flag is set before handlers
      // run, and `leave` waits for this lock, hence one of the two sees it.
      if Task.isCancelled { return .failure(.cancelled) }
      if state.lookUp == nil {
        state.lookUp = LookUp(task: startLookUp(generation: state.generation))
      }
      state.lookUp?.waiters[ticket] = waiter
      return nil
    }
    if let answer { waiter.resume(returning: answer) }
  }

  private func leave(ticket: UInt64) {
    let waiter = state.withLock { $0.lookUp?.waiters.removeValue(forKey: ticket) }
    waiter?.resume(returning: .failure(.cancelled))
  }

  private func startLookUp(generation: UInt64) -> Task<Void, Never> {
    Task { [calls] in
      let result: Result<UserID, MessageError>
      do throws(MessageError) {
        result = .success(try await calls.currentUserID())
      } catch {
        result = .failure(error)
      }
      finish(result, generation: generation)
    }
  }

  private func finish(_ result: Result<UserID, MessageError>, generation: UInt64) {
    let waiters: [UInt64: Waiter] = state.withLock { state in
      guard state.generation == generation else { return [:] }
      if case .success(let id) = result { state.known = id }
      defer { state.lookUp = nil }
      return state.lookUp?.waiters ?? [:]
    }
    for waiter in waiters.values { waiter.resume(returning: result) }
  }
}
