import BenchKit
import GroupMessages
import SecureStorage
import SessionModels

/// Ten groups of 10,000 messages each: putting them together, opening one, and what they keep.
struct TimelineBench: StoreBench {
  static let groups = 10
  static let messages: UInt64 = 10_000
  private static let name = "GroupMessages"

  let measures = [
    "timeline.live", "timeline.pages", "timeline.random", "timeline.open", "timeline.cached",
    "timeline.memory",
  ]
  private let options: Options
  private let stores: BenchStores

  init(_ options: Options, _ scratch: ScratchDirectory) {
    self.options = options
    stores = BenchStores(options: options, scratch: scratch)
  }

  func run() async throws {
    try insertions()
    if options.includes("timeline.open") || options.includes("timeline.cached") {
      try await opening()
    }
    if options.includes("timeline.memory") { try memory() }
  }

  // MARK: Insertions

  private func insertions() throws {
    let all = (1...TimelineBench.messages).map { BenchGroups.message($0, in: "group-0") }
    let pages = stride(from: all.count, to: 0, by: -50).map { end in
      (HistoryPage(messages: Array(all[(end - 50)..<end]), hasMore: end > 50), UInt64(end + 1))
    }
    var generator = SystemRandomNumberGenerator()
    let shuffled = all.shuffled(using: &generator)
    try measure("timeline.live", [.atLeast(1_000_000, .value)]) {
      var timeline = MessageTimeline(me: UserID("user-1"))
      for message in all { timeline.insert(message) }
      return timeline
    }
    try measure("timeline.pages", [.atLeast(1_000_000, .value)]) {
      var timeline = MessageTimeline(me: UserID("user-1"))
      for (page, before) in pages { timeline.insert(page, before: before) }
      return timeline
    }
    try measure("timeline.random", []) {
      var timeline = MessageTimeline(me: UserID("user-1"))
      for message in shuffled { timeline.insert(message) }
      return timeline
    }
  }

  private func measure(
    _ name: String,
    _ targets: [Target],
    _ fill: () -> MessageTimeline
  ) throws {
    guard options.includes(name) else { return }
    Output.progress("\(name): \(TimelineBench.messages) messages")
    var rates: [Double] = []
    for _ in 0..<9 {
      let start = Clock.now()
      let timeline = fill()
      let time = Double(Clock.now() - start) / 1e9
      guard timeline.messages.count == Int(TimelineBench.messages), timeline.missing.isEmpty else {
        throw Failure("\(name): the timeline lacks messages")
      }
      rates.append(Double(TimelineBench.messages) / time)
    }
    try Output.print(
      Measurement(
        name,
        of: TimelineBench.name,
        value: Samples(rates).percentile(50),
        unit: "messages/s",
        targets: targets
      )
    )
  }

  // MARK: Opening

  private func opening() async throws {
    Output.progress("timeline.open: \(TimelineBench.groups) groups")
    let server = BenchGroups(groups: TimelineBench.groups, messages: TimelineBench.messages)
    let store = try await stores.open("timeline/store")
    try await SecureSessionStorage(store: store).setAuthInfo(
      AuthInfo(
        session: Session(
          accessToken: nil,
          refreshToken: Secret("a-refresh-token-of-the-bench"),
          userID: UserID("user-1")
        ),
        dialect: .skyConnect,
        tokenModel: .accessRefresh,
        baseURL: "http://localhost:3001",
        deviceID: .mobileApp
      )
    )
    let messages = GroupMessages(
      requests: server,
      events: server,
      dialect: .skyConnect,
      storage: BenchMessageStorage(store)
    )
    _ = try await messages.currentUser.id()
    var (pages, opened, cached): ([Double], [Double], [Double]) = ([], [], [])
    for round in 0..<20 * TimelineBench.groups {
      let group = BenchGroups.name(round % TimelineBench.groups)
      var start = Clock.now()
      _ = try await messages.history(group: group)
      pages.append(Double(Clock.now() - start) / 1e6)
      let timeline = messages.timeline(of: group)
      var snapshots = timeline.makeAsyncIterator()
      start = Clock.now()
      guard let first = try await snapshots.next() else { throw Failure("no snapshot") }
      let shown = Double(Clock.now() - start) / 1e6
      if first.status == .cached, !first.messages.isEmpty { cached.append(shown) }
      var snapshot: TimelineSnapshot? = first
      while let last = snapshot, last.status != .live { snapshot = try await snapshots.next() }
      opened.append(Double(Clock.now() - start) / 1e6)
      await timeline.close()
    }
    store.close()
    let reference = Reference("its first page alone", Samples(pages).percentile(50))
    if options.includes("timeline.open") {
      try Output.print(
        Measurement(
          "timeline.open",
          of: TimelineBench.name,
          samples: Samples(opened),
          unit: "ms",
          reference: reference,
          targets: [.atMost(2, .ratio)]
        )
      )
    }
    if options.includes("timeline.cached") {
      try Output.print(
        Measurement(
          "timeline.cached",
          of: TimelineBench.name,
          samples: Samples(cached),
          unit: "ms",
          reference: reference
        )
      )
    }
  }

  // MARK: Memory

  private func memory() throws {
    Output.progress("timeline.memory: \(TimelineBench.groups) open groups, fresh processes")
    let open = try Opening.measure(5, ["child-timelines", "open"])
    let all = try Opening.measure(5, ["child-timelines", "all"])
    try Output.print(
      Measurement(
        "timeline.memory",
        of: TimelineBench.name,
        samples: Samples(open.map { $0.memory / 1_048_576 }),
        unit: "MiB",
        reference: Reference(
          "all messages in arrays",
          Samples(all.map { $0.memory / 1_048_576 }).percentile(50)
        ),
        targets: [.atMost(16, .p50)]
      )
    )
  }

  /// In a process of its own: ten groups, open, through 10,000 live messages each.
  static func hold(_ what: String) async throws {
    if what == "all" {
      var all: [[GroupMessage]] = []
      try await Opening.measure {
        for group in 0..<groups {
          all.append((1...messages).map { BenchGroups.message($0, in: BenchGroups.name(group)) })
        }
      }.report()
      return
    }
    let server = BenchGroups(groups: groups, messages: 0, live: messages)
    let shell = GroupMessages(requests: server, events: server, dialect: .skyConnect)
    var open: [GroupTimeline] = []
    try await Opening.measure {
      for group in 0..<groups {
        let timeline = shell.timeline(of: BenchGroups.name(group))
        for try await snapshot in timeline where snapshot.messages.last?.sequence == messages {
          break
        }
        open.append(timeline)
      }
    }.report()
  }
}
