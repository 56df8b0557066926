#if SecretService && os(Linux)
internal import CSecret

/// A connection of our own to a bus, with one deadline for all that is asked over it.
///
/// GLib's shared connection would end the process when the bus goes.
final class DBusConnection {
  let glib: GLib
  let raw: UnsafeMutableRawPointer
  let deadline: BusDeadline

  /// Connects.
  ///
  /// - Parameters:
  ///   - address: Of the bus; nil for the session's.
  ///   - patience: For connecting and all calls together.
  /// - Throws: `noLibrary`, `noBus`, `noAnswer`.
  init(address: String?, patience: Duration) throws(SecretServiceFailure) {
    guard let glib = csecret_functions() else { throw .noLibrary }
    self.glib = glib
    deadline = BusDeadline(in: patience, glib)
    guard let address = address ?? SessionBus.address(glib) else { throw .noBus }
    var error: UnsafeMutablePointer<CSecretError>?
    // G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT and …_MESSAGE_BUS_CONNECTION.
    let flags: CInt = 1 << 0 | 1 << 3
    let connection = glib.pointee.g_dbus_connection_new_for_address_sync(
      address,
      flags,
      nil,
      deadline.cancellable,
      &error
    )
    guard let connection else {
      // Whatever else is wrong with the address, there is no bus at it.
      throw SecretServiceFailure(taking: error, glib) == .noAnswer ? .noAnswer : .noBus
    }
    raw = connection
  }

  deinit { glib.pointee.g_object_unref(raw) }

  /// Calls a method and waits for its answer.
  ///
  /// Whom it calls is started where the bus knows how to. An answer of another type is an error.
  @discardableResult
  func call(
    _ name: String,
    _ path: String,
    _ interface: String,
    _ method: String,
    _ arguments: [DBusValue],
    reply type: String
  ) throws(SecretServiceFailure) -> [DBusReply] {
    var error: UnsafeMutablePointer<CSecretError>?
    let answer = glib.pointee.g_dbus_connection_call_sync(
      raw,
      name,
      path,
      interface,
      method,
      DBusValue.tuple(arguments, glib),
      type,
      0,
      // No time-out of GLib's: the deadline is.
      .max,
      deadline.cancellable,
      &error
    )
    guard let answer else { throw SecretServiceFailure(taking: error, glib) }
    return DBusReply(taking: answer, glib).members
  }

  /// Calls `handler` for each such signal, in the thread's default context.
  func subscribe(
    _ interface: String,
    _ signal: String?,
    argument: String? = nil,
    _ data: UnsafeMutableRawPointer,
    _ handler: @escaping CSecretSignalHandler
  ) {
    _ = glib.pointee.g_dbus_connection_signal_subscribe(
      raw,
      nil,
      interface,
      signal,
      nil,
      argument,
      0,
      handler,
      data,
      nil
    )
  }
}
#endif
