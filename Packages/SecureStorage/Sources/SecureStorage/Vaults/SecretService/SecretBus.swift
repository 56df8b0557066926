#if SecretService && os(Linux)
internal import CSecret

/// The Secret Service on a connection, and a key agreed on with it for what crosses the bus.
///
/// Calls are made one by one, not by libsecret's functions: those prompt where something is locked,
/// and answer a locked item like an absent one.
final class SecretBus {
  static let name = "org.freedesktop.secrets"
  static let root = "/org/freedesktop/secrets"

  private let connection: DBusConnection
  private let service: UnsafeMutableRawPointer

  private var glib: GLib { connection.glib }

  /// Agrees on a key.
  init(on connection: DBusConnection) throws(SecretServiceFailure) {
    self.connection = connection
    let (glib, cancellable) = (connection.glib, connection.deadline.cancellable)
    var error: UnsafeMutablePointer<CSecretError>?
    guard let service = csecret_service_new(connection.raw, cancellable, &error) else {
      throw SecretServiceFailure(taking: error, glib)
    }
    self.service = service
    guard glib.pointee.secret_service_ensure_session_sync(service, cancellable, &error) != 0 else {
      throw SecretServiceFailure(taking: error, glib)
    }
  }

  deinit { glib.pointee.g_object_unref(service) }

  /// Calls a method of the Secret Service, as ``DBusConnection`` does.
  @discardableResult
  func call(
    _ path: String,
    _ interface: String,
    _ method: String,
    _ arguments: DBusValue...,
    reply type: String
  ) throws(SecretServiceFailure) -> [DBusReply] {
    try connection.call(Self.name, path, interface, method, arguments, reply: type)
  }

  func property(
    _ name: String,
    of path: String,
    _ interface: String
  ) throws(SecretServiceFailure) -> DBusReply? {
    try call(
      path,
      "org.freedesktop.DBus.Properties",
      "Get",
      .text(interface),
      .text(name),
      reply: "(v)"
    ).first?.content
  }

  /// The path of what was agreed on; sealed values name it.
  var session: String {
    glib.pointee.secret_service_get_session_dbus_path(service).map { String(cString: $0) } ?? "/"
  }

  /// Seals a text for the way to the daemon.
  func sealed(_ text: UnsafeBufferPointer<CChar>) -> DBusValue {
    guard let start = text.baseAddress else { return .text("") }
    let value = glib.pointee.secret_value_new(start, text.count, "text/plain")
    defer { glib.pointee.secret_value_unref(value) }
    let encoded = glib.pointee.secret_service_encode_dbus_secret(service, value)
    return .reply(DBusReply(taking: glib.pointee.g_variant_ref_sink(encoded), glib))
  }

  /// Opens what the daemon sealed; nil where it is not sealed for us.
  func opened<Result>(
    _ secret: DBusReply,
    _ body: (UnsafeBufferPointer<CChar>) -> Result
  ) -> Result? {
    guard let value = glib.pointee.secret_service_decode_dbus_secret(service, secret.raw) else {
      return nil
    }
    defer { glib.pointee.secret_value_unref(value) }
    var length = 0
    let text = glib.pointee.secret_value_get(value, &length)
    return body(UnsafeBufferPointer(start: text, count: length))
  }
}
#endif
