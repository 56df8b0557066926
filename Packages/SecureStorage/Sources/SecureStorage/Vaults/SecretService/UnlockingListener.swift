#if SecretService && os(Linux)
internal import CSecret
internal import Dispatch
internal import Synchronization

/// Listens on a bus for what may have unlocked a keyring, on a thread of its own.
// `@unchecked` holds because connection and context are used by the caller of `start` until the
// thread starts, then by that thread only; waking a context is for any thread.
final class UnlockingListener: @unchecked Sendable {
  private let connection: DBusConnection
  private let context: UnsafeMutableRawPointer
  private let changed: @Sendable () -> Void
  private let isOver = Atomic(false)

  private var glib: GLib { connection.glib }

  /// Starts listening; nil where there is no bus.
  static func start(
    _ address: String?,
    patience: Duration,
    _ changed: @escaping @Sendable () -> Void
  ) -> VaultObservation? {
    guard let connection = try? DBusConnection(address: address, patience: patience) else {
      return nil
    }
    let listener = UnlockingListener(connection, changed)
    guard (try? listener.subscribe()) != nil else { return nil }
    DispatchQueue(label: "store.vault.unlocking").async { listener.run() }
    return VaultObservation { listener.end() }
  }

  private init(_ connection: DBusConnection, _ changed: @escaping @Sendable () -> Void) {
    self.connection = connection
    self.changed = changed
    context = connection.glib.pointee.g_main_context_new()
  }

  deinit { glib.pointee.g_main_context_unref(context) }

  private func subscribe() throws(SecretServiceFailure) {
    glib.pointee.g_main_context_push_thread_default(context)
    defer { glib.pointee.g_main_context_pop_thread_default(context) }
    let handler: CSecretSignalHandler = { _, _, _, _, _, _, data in
      guard let data else { return }
      Unmanaged<UnlockingListener>.fromOpaque(data).takeUnretainedValue().changed()
    }
    // Handlers run in `run` only, which keeps this object.
    let data = Unmanaged.passUnretained(self).toOpaque()
    connection.subscribe(
      "org.freedesktop.DBus.Properties",
      "PropertiesChanged",
      argument: "org.freedesktop.Secret.Collection",
      data,
      handler
    )
    // Collections that came or changed: all signals of the service.
    connection.subscribe("org.freedesktop.Secret.Service", nil, data, handler)
    connection.subscribe(
      "org.freedesktop.DBus",
      "NameOwnerChanged",
      argument: SecretBus.name,
      data,
      handler
    )
    // Its answer says that the bus has the subscriptions, too.
    try connection.call(
      "org.freedesktop.DBus",
      "/org/freedesktop/DBus",
      "org.freedesktop.DBus",
      "NameHasOwner",
      [.text(SecretBus.name)],
      reply: "(b)"
    )
  }

  private func run() {
    while !isOver.load(ordering: .acquiring) {
      _ = glib.pointee.g_main_context_iteration(context, 1)
    }
  }

  private func end() {
    isOver.store(true, ordering: .releasing)
    glib.pointee.g_main_context_wakeup(context)
  }
}
#endif
