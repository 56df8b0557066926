public import SecureStorage
internal import Synchronization

/// A keychain in memory, with the rules and status codes of Apple's.
///
/// An item is unique by service, account and access group, whatever its accessibility. A locked
/// device shows an item's existence, but not what it holds. Nothing is removed when the app is.
public final class InMemoryKeychain: Keychain {
  /// What the device's owner has done.
  public enum Device: Sendable, CaseIterable {
    /// Switched it on.
    case notUnlockedSinceRestart
    /// Unlocked it.
    case unlocked
    /// Locked it again.
    case locked
  }

  private struct Identity: Hashable {
    var service: String
    var account: String
    var accessGroup: String
  }

  private struct Item {
    var accessibility: KeychainAccessibility
    var data: [UInt8]
  }

  private struct State {
    var items: [Identity: Item] = [:]
    var device = Device.unlocked
    var hasPasscode = true
    var failure: KeychainStatus?
    var calls: [String] = []
  }

  private let accessGroups: [String]
  private let state: Mutex<State>

  /// A keychain without items.
  ///
  /// - Parameter accessGroups: What the app is signed for; the first is its own.
  public init(accessGroups: [String] = ["TEAM.app", "TEAM.shared"]) {
    self.accessGroups = accessGroups
    state = Mutex(State())
  }

  /// The device is in this state from now on.
  public func setDevice(_ device: Device) { state.withLock { $0.device = device } }

  /// The owner removes the passcode, and with it every item that needs one.
  public func removePasscode() {
    state.withLock { state in
      state.hasPasscode = false
      state.items = state.items.filter {
        $0.value.accessibility != .whenPasscodeSetThisDeviceOnly
      }
    }
  }

  /// From now on each call throws this; nil lets calls succeed again.
  public func fail(with status: KeychainStatus?) { state.withLock { $0.failure = status } }

  /// The names of the functions that were called, in order.
  public var calls: [String] { state.withLock { $0.calls } }

  /// The content of every item, for tests that look into it.
  public var contents: [[UInt8]] { state.withLock { $0.items.values.map(\.data) } }

  /// Replaces the content of every item, as damage does.
  public func overwriteAll(with data: [UInt8]) {
    state.withLock { state in
      for identity in state.items.keys { state.items[identity]?.data = data }
    }
  }

  /// `SecItemAdd`.
  ///
  /// - Parameters:
  ///   - query: Which item.
  ///   - accessibility: When it may be read.
  ///   - data: What it holds.
  /// - Throws: the status.
  public func add(
    _ query: KeychainQuery,
    accessibility: KeychainAccessibility,
    data: [UInt8]
  ) throws(KeychainStatus) {
    try call("add", query) { state, groups throws(KeychainStatus) in
      let identity = Identity(
        service: query.service,
        account: query.account,
        accessGroup: groups[0]
      )
      guard state.items[identity] == nil else { throw .duplicateItem }
      try Self.checkAccess(accessibility, state)
      state.items[identity] = Item(accessibility: accessibility, data: data)
    }
  }

  /// `SecItemCopyMatching`.
  ///
  /// - Parameter query: Which item.
  /// - Returns: What it holds.
  /// - Throws: the status.
  public func copyMatching(_ query: KeychainQuery) throws(KeychainStatus) -> [UInt8] {
    try call("copyMatching", query) { state, groups throws(KeychainStatus) in
      let item = try Self.find(query, groups, state).item
      try Self.checkAccess(item.accessibility, state)
      return item.data
    }
  }

  /// `SecItemUpdate`.
  ///
  /// - Parameters:
  ///   - query: Which item.
  ///   - accessibility: When it may be read.
  ///   - data: What it holds.
  /// - Throws: the status.
  public func update(
    _ query: KeychainQuery,
    accessibility: KeychainAccessibility,
    data: [UInt8]
  ) throws(KeychainStatus) {
    try call("update", query) { state, groups throws(KeychainStatus) in
      let (identity, item) = try Self.find(query, groups, state)
      try Self.checkAccess(item.accessibility, state)
      try Self.checkAccess(accessibility, state)
      state.items[identity] = Item(accessibility: accessibility, data: data)
    }
  }

  /// `SecItemDelete`; needs no unlocked device.
  ///
  /// - Parameter query: Which item.
  /// - Throws: the status.
  public func delete(_ query: KeychainQuery) throws(KeychainStatus) {
    try call("delete", query) { state, groups throws(KeychainStatus) in
      let identity = try Self.find(query, groups, state).identity
      state.items[identity] = nil
    }
  }

  /// Runs a call with the groups that it may touch, the one that it would add to first.
  private func call<Result: Sendable>(
    _ name: String,
    _ query: KeychainQuery,
    _ body: (inout State, [String]) throws(KeychainStatus) -> Result
  ) throws(KeychainStatus) -> Result {
    try state.withLock { state throws(KeychainStatus) in
      state.calls.append(name)
      if let failure = state.failure { throw failure }
      guard !accessGroups.isEmpty else { throw .missingEntitlement }
      guard let group = query.accessGroup else { return try body(&state, accessGroups) }
      guard accessGroups.contains(group) else { throw .missingEntitlement }
      return try body(&state, [group])
    }
  }

  private static func find(
    _ query: KeychainQuery,
    _ groups: [String],
    _ state: State
  ) throws(KeychainStatus) -> (identity: Identity, item: Item) {
    for group in groups {
      let identity = Identity(
        service: query.service,
        account: query.account,
        accessGroup: group
      )
      if let item = state.items[identity] { return (identity, item) }
    }
    throw .itemNotFound
  }

  private static func checkAccess(
    _ accessibility: KeychainAccessibility,
    _ state: State
  ) throws(KeychainStatus) {
    let isAllowed =
      switch accessibility {
      case .afterFirstUnlockThisDeviceOnly: state.device != .notUnlockedSinceRestart
      case .whenUnlockedThisDeviceOnly: state.device == .unlocked
      case .whenPasscodeSetThisDeviceOnly: state.device == .unlocked && state.hasPasscode
      }
    guard isAllowed else { throw .interactionNotAllowed }
  }
}
