internal import AuthNetworking
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import GroupMessages
internal import Realtime
internal import SessionModels
internal import Synchronization

/// `messages watch` at a terminal: brings the conversation, the connection and the keyboard to the
/// chat's screen, and does what that says.
final class ChatSession: Sendable {
  private struct State {
    var screen: ChatScreen
    var painter: ChatPainter
    var mustRedraw = true
    /// Why the session ended, once it has.
    var signedOut: ClientError?
    var end: Result<Void, ClientError>?
    /// Whether the newest messages were read.
    var wasLive = false
  }

  private let terminal: ChatTerminal
  private let timeline: GroupTimeline
  private let outbox: Outbox
  private let state: Mutex<State>
  private let now: @Sendable () -> Double
  private let redactor: @Sendable () -> Redactor
  private let whySignedOut: @Sendable () -> String?
  // A bell that has rung rings no louder: there is one picture to draw, the latest.
  private let (bells, bell) = AsyncStream.makeStream(
    of: Void.self,
    bufferingPolicy: .bufferingNewest(1)
  )
  private let (effects, effect) = AsyncStream.makeStream(of: ChatScreen.Effect.self)
  private let (signals, signal) = AsyncStream.makeStream(
    of: Void.self,
    bufferingPolicy: .bufferingNewest(1)
  )

  init(
    _ terminal: ChatTerminal,
    _ timeline: GroupTimeline,
    _ outbox: Outbox,
    hasColors: Bool,
    now: @escaping @Sendable () -> Double,
    redactor: @escaping @Sendable () -> Redactor,
    whySignedOut: @escaping @Sendable () -> String?
  ) {
    self.terminal = terminal
    self.timeline = timeline
    self.outbox = outbox
    self.now = now
    self.redactor = redactor
    self.whySignedOut = whySignedOut
    let size = terminal.size
    state = Mutex(
      State(
        screen: ChatScreen(
          group: timeline.group,
          clock: .local,
          width: size.width,
          height: size.height
        ),
        painter: ChatPainter(hasColors: hasColors)
      )
    )
  }

  /// Chats until the user leaves or it cannot go on, and gives the terminal back.
  ///
  /// - Parameter connection: the client's states.
  /// - Throws: ``ClientError``: `interrupted`, and why it cannot go on.
  func run(_ connection: AsyncStream<RealtimeState>) async throws(ClientError) {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.draw() }
      group.addTask { await self.read() }
      group.addTask { await self.follow() }
      group.addTask { await self.carryOut() }
      group.addTask { for await _ in self.signals { await self.timeline.typing() } }
      group.addTask {
        for await state in connection {
          self.take(.connection(self.seen(state)))
          // The network is back: what was written meanwhile need not wait out its pause.
          if case .ready = state { try? self.outbox.resume() }
        }
      }
      // Each of them ends all where it says so; the first that finds the end set cancels the rest.
      while await group.next() != nil {
        guard Task.isCancelled || isOver else { continue }
        group.cancelAll()
        // Whoever draws just now stops waiting for the terminal.
        terminal.restore()
      }
    }
    terminal.restore()
    await timeline.close()
    guard let end = state.withLock({ $0.end }) else { throw ClientError(.interrupted, "") }
    try end.get()
  }

  // MARK: Tasks

  private func draw() async {
    bell.yield()
    for await _ in bells {
      let text = state.withLock { state in
        defer { state.mustRedraw = false }
        return state.painter.paint(state.screen.render(), isNew: state.mustRedraw)
      }
      await terminal.draw(text)
      if isOver { return }
    }
  }

  private func read() async {
    var decoder = KeyDecoder()
    while !Task.isCancelled, !isOver {
      switch await terminal.next() {
      case .keys(let bytes): for key in decoder.decode(bytes) { take(.key(key)) }
      case .resized(let width, let height): take(.resize(width: width, height: height))
      case .ended: end(.failure(ClientError(.interrupted, "", exitStatus: .done)))
      }
    }
  }

  private func follow() async {
    do throws(MessageError) {
      var snapshots = timeline.makeAsyncIterator()
      while let snapshot = try await snapshots.next() { show(snapshot) }
    } catch {
      let error = ClientError(error)
      guard error.exitStatus == .notSignedIn else { return end(.failure(error)) }
      // What was read stays to be read; the status is told when the user leaves.
      state.withLock { $0.signedOut = error }
      take(.connection(.signedOut(whySignedOut() ?? error.message)))
    }
  }

  private func carryOut() async {
    for await effect in effects {
      do throws(MessageError) {
        switch effect {
        case .send(let text): try await timeline.send(text)
        case .resendFailed: for send in failed { try await timeline.resend(send) }
        case .discardFailed: for send in failed { try await timeline.discard(send) }
        case .loadEarlier: try await timeline.loadEarlier()
        case .typing, .redraw, .leave: break
        }
      } catch {
        take(.notice(ClientError(error).message))
      }
    }
  }

  // MARK: Events

  private func take(_ event: ChatScreen.Event) {
    let effects = state.withLock { $0.screen.take(event) }
    for effect in effects {
      switch effect {
      case .redraw: state.withLock { $0.mustRedraw = true }
      case .typing: signal.yield()
      case .leave(let isInterrupted): leave(isInterrupted: isInterrupted)
      case .send, .resendFailed, .discardFailed, .loadEarlier: self.effect.yield(effect)
      }
    }
    bell.yield()
  }

  private func leave(isInterrupted: Bool) {
    if isInterrupted { return end(.failure(ClientError(.interrupted, ""))) }
    let reason = state.withLock { $0.signedOut }
    end(reason.map { .failure($0) } ?? .success(()))
  }

  private func end(_ result: Result<Void, ClientError>) {
    state.withLock { $0.end = $0.end ?? result }
    bell.yield()
  }

  private var isOver: Bool { state.withLock { $0.end != nil } }

  private var failed: [OwnSend] {
    timeline.snapshot.unsent.filter { $0.state == .failed }
  }

  private func show(_ snapshot: TimelineSnapshot) {
    var content = ChatContent()
    // Here, not on the screen, where a secret is broken into lines.
    let redactor = redactor()
    content.messages = snapshot.messages.map { message in
      ChatContent.Message(
        sequence: message.sequence,
        sender: redactor.redact(message.senderID.rawValue),
        isMine: snapshot.isMine(message),
        body: redactor.redact(message.body),
        sentAt: message.sentAt.timeIntervalSince1970
      )
    }
    content.unsent = snapshot.unsent.map { send in
      ChatContent.Unsent(
        body: send.body,
        refusal: send.state == .failed
          ? send.refusal.map(redactor.redact) ?? "no reason given" : nil,
        isSent: send.state == .sent
      )
    }
    content.typing = snapshot.typing.map { redactor.redact($0.rawValue) }
    content.hasEarlier = snapshot.hasEarlier
    if case .waiting(let reason) = snapshot.status { content.failure = redactor.redact(reason) }
    content.isLive = state.withLock { state in
      if snapshot.status == .live { state.wasLive = true }
      return state.wasLive
    }
    take(.content(content))
  }

  private func seen(_ state: RealtimeState) -> ChatConnection {
    switch state {
    case .ready: .connected
    case .idle, .connecting, .shutDown: .connecting
    case .waiting(let until): .waiting(until: now() + (until - .now) / .seconds(1))
    }
  }
}
