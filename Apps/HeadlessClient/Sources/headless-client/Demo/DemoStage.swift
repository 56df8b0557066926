internal import DevBackend
internal import SessionModels
internal import Synchronization

/// What the demo's steps share: the backend, the clients, and what was learnt on the way.
final class DemoStage: Sendable {
  /// Where the clients live.
  let home: TemporaryHome
  /// The backend's ports.
  let ports: BackendPorts
  /// What the backend itself counts.
  let inspector: BackendInspector
  /// The client whose story it is.
  let client: DemoClient
  /// Another user, to talk to.
  let friend: DemoClient
  /// Everything that was printed.
  let transcript: DemoTranscript
  /// The password that the first client uses.
  let password: String

  private let learnt = Mutex<[Secret]>([])

  /// The account that is made.
  static let username = "teo"
  static let email = "teo@example.com"
  /// The group that everybody is in.
  static let group = "general"
  /// The demo data's user to talk to.
  static let friend = DemoData.users[1]

  init(
    home: TemporaryHome,
    ports: BackendPorts,
    inspector: BackendInspector,
    inherited: [String: String],
    transcript: DemoTranscript
  ) {
    self.home = home
    self.ports = ports
    self.inspector = inspector
    self.transcript = transcript
    // A password of this run only, so that finding it anywhere proves something.
    password = "Demo1-" + DeviceID.random().rawValue
    client = DemoClient(
      profile: "teo",
      home: home.path,
      password: password,
      inherited: inherited,
      transcript: transcript
    )
    friend = DemoClient(
      profile: "friend",
      home: home.path,
      password: DemoStage.friend.password,
      inherited: inherited,
      transcript: transcript
    )
  }

  /// The options that name the backend, as a person would give them at sign-in.
  var backendOptions: [String] {
    [
      "--base-url", "http://127.0.0.1:\(ports.http)",
      "--realtime-url", "http://127.0.0.1:\(ports.realtime)",
    ]
  }

  /// How many refreshes the backend has served.
  var refreshes: Int { inspector.requestCount("POST /auth/refresh") }

  /// Remembers secrets, to look for them at the end.
  func learn(_ secrets: [Secret?]) {
    learnt.withLock { $0 += secrets.compactMap { $0 } }
  }

  /// Everything that was learnt, the password included.
  var secrets: [Secret] { learnt.withLock { $0 } + [Secret(password)] }
}
