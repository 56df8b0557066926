package import AuthNetworking
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import GroupMessages
package import SecureStorage
internal import SessionModels

/// The packages put together for one command, each made when it is first needed.
///
/// It belongs to the task that runs the command. What it hands out may be used from any task.
package final class Composition {
  /// The parts that differ in tests.
  package struct Parts: Sendable {
    /// Makes what carries HTTP.
    package var transport: @Sendable (Trust) throws(TransportError) -> any HTTPTransport
    /// The device's clock, in seconds since 1970.
    package var now: @Sendable () -> Double
    /// What times are measured and waited by.
    package var clock = CommandClock.continuous
    /// The vaults that a new store is offered where the user names none, best first.
    package var automaticVaults = VaultName.automatic

    /// The real parts.
    package init() {
      transport = { trust throws(TransportError) in
        try CurlTransport(CurlConfiguration(caFile: trust.caFile, pins: trust.pins))
      }
      now = { Date().timeIntervalSince1970 }
    }
  }

  /// Whom a connection trusts.
  package struct Trust: Sendable {
    /// A file with roots to trust instead of the system's.
    package var caFile: String?
    /// The keys that a server may have; none for all that the roots vouch for.
    package var pins: [SPKIPin]
  }

  let settings: GlobalSettings
  let environment: [String: String]
  let input: any InputSource
  let console: Console
  let parts: Parts
  let profile: ProfileDirectory

  /// Whether a person sees that the network is waited for.
  var showsWaiting = true

  private var remembered: ProfileSettings?
  private var homeIsSecured = false
  private var hold: ProfileHold?
  private var store: SecureStore?
  private var storage: SecureSessionStorage?
  private var firstStorage: FirstSessionStorage?
  private var connection: RealtimeConnection?
  private var madeController: SessionController?
  private var refreshCount: RefreshCount?

  init(
    settings: GlobalSettings,
    environment: [String: String],
    input: any InputSource,
    console: Console,
    parts: Parts
  ) {
    self.settings = settings
    self.environment = environment
    self.input = input
    self.console = console
    self.parts = parts
    profile = ProfileDirectory(path: settings.home.profileDirectory(settings.profile))
  }

  /// Gives up what was opened.
  func close() async {
    await madeController?.finishRevocations()
    connection?.shutDown()
    adoptFirstStore()
    store?.close()
  }

  /// An error with the reason why the session went, where it is known.
  func explained(_ error: ClientError) -> ClientError {
    error.explained(by: madeController?.state)
  }

  // MARK: Settings

  /// What the profile remembers.
  func rememberedSettings() throws(ClientError) -> ProfileSettings {
    try secureHome()
    if let remembered { return remembered }
    let read = try ProfileSettings.read(from: profile.settingsFile)
    remembered = read
    return read
  }

  /// Sets settings aside that cannot be read, for a sign-in, which names all of them anew.
  func setDamagedSettingsAside() throws(ClientError) {
    do {
      _ = try rememberedSettings()
    } catch  where error.code == .damaged {
      let aside = try PrivateFiles.setAside(profile.settingsFile)
      console.note("\(error.message); it lies in \(aside) now, and is made anew")
    }
  }

  /// Looks again at what the profile remembers: another process may have written it.
  func rereadSettings() throws(ClientError) {
    remembered = nil
    _ = try rememberedSettings()
  }

  /// Changes what the profile remembers, and writes it where it is another thing then.
  func remember(_ change: (inout ProfileSettings) -> Void) throws(ClientError) {
    let old = try rememberedSettings()
    var new = old
    change(&new)
    guard new != old else { return }
    try makeProfile()
    try new.write(to: profile.settingsFile)
    remembered = new
  }

  /// Keeps the profile, where there is one, from being renamed or removed until the command is done.
  func keepProfile() async throws(ClientError) { hold = try await holdProfile() }

  /// Goes on with a hold that was taken in another way.
  func adopt(_ taken: ProfileHold) { hold = taken }

  /// The profile kept from being renamed or removed; nil where there is none.
  func holdProfile() async throws(ClientError) -> ProfileHold? {
    try await ProfileHold.wait(for: profile.path)
  }

  /// Makes the profile's directory where it is missing, and keeps it.
  func makeProfile() throws(ClientError) {
    try settings.home.makeProfile(settings.profile)
    if hold == nil { hold = try ProfileHold.take(profile.path, .shared) }
  }

  /// Looks once whether others can get at the home.
  func secureHome() throws(ClientError) {
    guard !homeIsSecured else { return }
    switch try settings.home.secure() {
    case .absent, .sound: break
    case .tightened(let mode):
      console.note("\(settings.home.path) had mode \(mode); it is 0700 now, for you alone")
    case .exposed(let mode):
      console.note(
        "\(settings.home.path) has mode \(mode), on a read-only disk: others can read it"
      )
    }
    homeIsSecured = true
  }

  /// The day where the user is; UTC stands for it, which can be a day off for some hours.
  var today: CalendarDate {
    let days = (parts.now() / 86_400).rounded(.down)
    return CalendarDate(daysSinceEpoch: Int(exactly: days) ?? 0)
  }

  // MARK: Store

  /// The store, where there is one; what only reads makes none.
  func storeForReading() async throws(ClientError) -> SecureStore? {
    try secureHome()
    if store == nil, try !profile.hasStore { return nil }
    return try await storeForWriting()
  }

  /// The store, made where there is none.
  func storeForWriting() async throws(ClientError) -> SecureStore {
    if let store { return store }
    try secureHome()
    if (try? profile.hasStore) == false { try opening.chooseNewPassphrase() }
    try makeProfile()
    let opened = try await withStorageErrors { [opening] () async throws(StorageError) in
      try await opening.open()
    }
    for note in opened.notes { console.note("\(note)") }
    store = opened
    return opened
  }

  /// The stored session's slot, where there is a store.
  func sessionStorage() async throws(ClientError) -> SecureSessionStorage? {
    if let storage { return storage }
    guard let store = try await storeForReading() else { return nil }
    let made = SecureSessionStorage(store: store)
    storage = made
    return made
  }

  /// How the store is opened or made, one for the whole command: a passphrase is asked for once.
  private(set) lazy var opening = StoreOpening(self, wanted: settings.vault)

  /// The store, where it is open already.
  var openStore: SecureStore? { store }

  /// Goes on with a store that was opened in another way.
  func adopt(_ opened: SecureStore) { store = opened }

  /// Goes on with the store that a sign-in has made, if it has.
  func adoptFirstStore() {
    guard store == nil, let made = firstStorage?.store else { return }
    for note in made.notes { console.note("\(note)") }
    store = made
  }

  /// Keeps a realtime connection until the end of the command.
  func adopt(_ made: RealtimeConnection) -> RealtimeConnection {
    connection = made
    return made
  }

  /// The realtime connection, where one was made.
  var madeConnection: RealtimeConnection? { connection }

  /// Forgets the opened store, before it is set aside; the next one gets its vault, never silently
  /// another one.
  func forgetStore(of vault: VaultName?) {
    let inherited = vault.flatMap { VaultName.available.contains($0) ? $0 : nil }
    opening = StoreOpening(self, wanted: settings.vault, inherited: inherited)
    store?.close()
    (store, storage, firstStorage, madeController) = (nil, nil, nil, nil)
  }

  /// The stored session; an empty one where there is no store.
  func record() async throws(ClientError) -> SessionRecord {
    guard let storage = try await sessionStorage() else { return .empty }
    let record = try withStorageErrors { () throws(StorageError) in try storage.record() }
    conceal(record.authInfo)
    return record
  }

  /// The same for a command that needs a session: what cannot come back is its end (R14).
  func sessionRecord() async throws(ClientError) -> SessionRecord {
    do {
      return try await record()
    } catch {
      throw error.endsSession ? error.asEndOfSession : error
    }
  }

  /// As ``concealHeldSecrets()`` where a store is open; else nothing is held.
  func concealHeldSecretsIfOpen() async throws(ClientError) {
    if store != nil { try await concealHeldSecrets() }
  }

  /// Takes the secrets that are held just now out of everything that is printed.
  func concealHeldSecrets() async throws(ClientError) {
    conceal(madeController?.authInfo)
    _ = try await record()
  }

  func conceal(_ info: AuthInfo?) { console.conceal(Composition.secrets(of: info)) }

  private static func secrets(of info: AuthInfo?) -> [Secret?] {
    guard let session = info?.session else { return [] }
    return [session.accessToken?.secret, session.refreshToken, session.identitySeed]
  }

  // MARK: Session

  /// The controller of the stored session, for commands that need one.
  ///
  /// - Throws: ``ClientError`` of code `notSignedIn` where nobody ever signed in.
  func controller() async throws(ClientError) -> SessionController {
    if let madeController { return madeController }
    let backend = try await backend()
    try await rememberRealtimeURL()
    guard let deviceID = try await sessionRecord().authInfo?.deviceID else {
      return try await makeController(for: backend, deviceID: installID())
    }
    return try await makeController(for: backend, deviceID: deviceID)
  }

  /// A controller for a backend.
  func makeController(
    for backend: Backend,
    deviceID: DeviceID
  ) async throws(ClientError) -> SessionController {
    let storage = try await storageForController()
    let counted = RefreshCount(transport, backend.api)
    let controller = SessionController(
      configuration: configuration(for: backend, deviceID: deviceID),
      storage: storage,
      transport: counted,
      lock: FlockRefreshLock(path: profile.refreshLockFile),
      log: sessionLog
    )
    conceal(controller.authInfo)
    // Its tokens change while the command runs.
    console.conceal(from: { Composition.secrets(of: controller.authInfo) })
    (madeController, refreshCount) = (controller, counted)
    return controller
  }

  /// How often the session was refreshed by this process.
  var refreshes: Int { refreshCount?.value ?? 0 }

  /// The session's slot; where there is no store, one that makes it when there is something to
  /// keep.
  private func storageForController() async throws(ClientError) -> any SessionStorage {
    if let storage = try await sessionStorage() { return storage }
    let first = FirstSessionStorage { [opening] () async throws(StorageError) in
      try await opening.open()
    }
    firstStorage = first
    return first
  }

  /// What carries HTTP, made when the first request needs it.
  private(set) lazy var transport: any HTTPTransport = {
    let trust = Trust(caFile: settings.caFile, pins: settings.pins)
    let make = parts.transport
    let lazy = LazyTransport { () throws(TransportError) in try make(trust) }
    return showsWaiting ? SpinningTransport(lazy, Spinner(on: console)) : lazy
  }()

  private var sessionLog: SessionLog {
    guard console.style.verbose else { return { _ in } }
    return { [console] entry in console.detail("\(entry.level): \(entry.description)") }
  }
}
