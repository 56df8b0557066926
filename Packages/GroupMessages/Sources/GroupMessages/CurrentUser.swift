internal import Synchronization
public import SessionModels

/// Who is signed in, by the backend's word (`/auth/me`, in KSN `/api/users/me`).
///
/// However many ask at once, the backend is asked once. Its answer is kept for the signed-in period
/// (``SessionPeriod``) and stored with it, so that an app that starts offline knows whose messages
/// are whose. A failure is not kept, the next caller asks again.
///
/// Each call looks whether the stored period is still the one that is known, so that a sign-out or
/// a change of account, by whichever process, is noticed; an answer that was under way for the
/// previous user is never taken for the next one's (R4). Without a storage call ``reset(known:)``
/// then.
public final class CurrentUser: Sendable {
  fileprivate typealias Waiter = CheckedContinuation<Result<UserID, MessageError>, Never>

  fileprivate struct LookUp {
    var waiters: [UInt64: Waiter] = [:]
    var task: Task<Void, Never>?
  }

  /// Where the id is stored.
  private static let key = "user"

  fileprivate struct State {
    var period: SessionPeriod?
    var known: UserID?
    var generation: UInt64 = 0
    var lookUp: LookUp?
    var nextTicket: UInt64 = 0
  }

  private let calls: MessageCalls
  private let storage: (any MessageStorage)?
  private let state: Mutex<State>

  /// The current user behind a session.
  ///
  /// - Parameters:
  ///   - requests: performs requests for the signed-in user.
  ///   - dialect: how the backend writes users.
  ///   - storage: says which signed-in period it is, and keeps the id for it; nil where the app
  ///     says so itself with ``reset(known:)``.
  ///   - known: the id where it is known already; nobody is then asked.
  public init(
    requests: any AuthenticatedRequests,
    dialect: MessageDialect,
    storage: (any MessageStorage)? = nil,
    known: UserID? = nil
  ) {
    calls = MessageCalls(requests: requests, dialect: dialect)
    self.storage = storage
    // What is known beforehand is known of whoever is signed in now.
    state = Mutex(State(period: (try? storage?.period()) ?? nil, known: known))
  }

  /// The id where it is known, without asking anybody but the storage.
  public var known: UserID? {
    try? lookForPeriod()
    return state.withLock { $0.known }
  }

  /// The id, asked for where it is not known yet.
  ///
  /// Cancelling a caller ends that caller promptly, and never the look-up that it shares.
  ///
  /// - Throws: ``MessageError/sessionChanged`` where ``reset(known:)`` comes in between
  ///   or another period in between, ``MessageError/cancelled``, ``MessageError/storage(_:)``, and
  ///   what the look-up failed with.
  public func id() async throws(MessageError) -> UserID {
    try lookForPeriod()
    if let known = state.withLock({ $0.known }) { return known }
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
  public func reset(known: UserID? = nil) { end(state.withLock { $0.begin(known: known) }) }

  private func end(_ lookUp: LookUp?) {
    lookUp?.task?.cancel()
    for waiter in (lookUp?.waiters ?? [:]).values {
      waiter.resume(returning: .failure(.sessionChanged))
    }
  }
}

extension CurrentUser.State {
  /// Forgets the user, and gives back the look-up that was for him.
  fileprivate mutating func begin(known: UserID?) -> CurrentUser.LookUp? {
    generation += 1
    self.known = known
    defer { lookUp = nil }
    return lookUp
  }
}

extension CurrentUser {
  /// Notices that another period has begun, and takes what is stored with it.
  private func lookForPeriod() throws(MessageError) {
    guard let storage else { return }
    let values = try PeriodValues.present(in: storage)
    let over = state.withLock { state -> LookUp? in
      guard state.period != values?.period else { return nil }
      state.period = values?.period
      return state.begin(known: nil)
    }
    end(over)
    guard let values, state.withLock({ $0.known == nil && $0.lookUp == nil }) else { return }
    guard let bytes = try values.bytes(forKey: CurrentUser.key), !bytes.isEmpty else { return }
    state.withLock { state in
      if state.period == values.period {
        state.known = UserID(String(decoding: bytes, as: UTF8.self))
      }
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
        let period = state.period
        state.lookUp = LookUp(task: startLookUp(generation: state.generation, period))
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

  private func startLookUp(generation: UInt64, _ period: SessionPeriod?) -> Task<Void, Never> {
    Task { [calls] in
      let result: Result<UserID, MessageError>
      do throws(MessageError) {
        let id = try await calls.inPeriod(period).currentUserID()
        try await keep(id, in: period)
        result = .success(id)
      } catch {
        result = .failure(error)
      }
      finish(result, generation: generation)
    }
  }

  /// Stores the id before anybody gets it, provided that the period is not over.
  private func keep(_ id: UserID, in period: SessionPeriod?) async throws(MessageError) {
    guard let storage, let period else { return }
    let values = PeriodValues(storage: storage, period: period)
    do throws(MessageError) {
      try await values.set(Array(id.rawValue.utf8), forKey: CurrentUser.key)
    } catch .sessionChanged {
      throw .sessionChanged
    } catch {
      // The server has answered; what cannot be stored is asked for again at the next start.
      return
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
