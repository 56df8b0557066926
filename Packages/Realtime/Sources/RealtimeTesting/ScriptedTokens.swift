public import GRPC
public import Secrets
internal import Synchronization

/// A token provider that a test writes.
public final class ScriptedTokens: TokenProvider {
  /// What it was asked.
  public enum Question: Hashable, Sendable {
    /// ``ScriptedTokens/token()``.
    case token

    /// ``ScriptedTokens/tokenWasRefused(_:)``, with the token in clear.
    case refused(String)
  }

  private struct State {
    var token: String?
    var next: [String] = []
    var failure: (any Error)?
    var failureEndsSession = true
    var questions: [Question] = []
  }

  private let state: Mutex<State>

  /// A provider that gives `token`, and after each refusal the next of `afterRefusals`.
  public init(_ token: String?, afterRefusals: [String] = []) {
    state = Mutex(State(token: token, next: afterRefusals))
  }

  /// Everything it was asked, in order.
  public var questions: [Question] { state.withLock { $0.questions } }

  /// Makes it give this token from now on.
  public func change(to token: String?) {
    state.withLock { state in
      state.token = token
      state.failure = nil
    }
  }

  /// Makes it throw from now on.
  ///
  /// - Parameters:
  ///   - error: what it throws.
  ///   - endsSession: what it answers when asked about the error.
  public func fail(with error: any Error, endsSession: Bool = true) {
    state.withLock { state in
      state.failure = error
      state.failureEndsSession = endsSession
    }
  }

  /// The token.
  ///
  /// - Throws: what ``fail(with:endsSession:)`` was given.
  public func token() async throws -> Secret? {
    try state.withLock { state in
      state.questions.append(.token)
      if let failure = state.failure { throw failure }
      return state.token.map(Secret.init(_:))
    }
  }

  /// Takes the next token, if the refused one is the present one.
  ///
  /// - Throws: what ``fail(with:endsSession:)`` was given.
  public func tokenWasRefused(_ token: Secret) async throws -> Bool {
    try state.withLock { state in
      state.questions.append(.refused(token.reveal()))
      if let failure = state.failure { throw failure }
      guard state.token == token.reveal() else { return true }
      guard !state.next.isEmpty else { return false }
      state.token = state.next.removeFirst()
      return true
    }
  }

  /// What ``fail(with:endsSession:)`` said.
  public func endsSession(_ error: any Error) -> Bool {
    state.withLock { $0.failureEndsSession }
  }
}
