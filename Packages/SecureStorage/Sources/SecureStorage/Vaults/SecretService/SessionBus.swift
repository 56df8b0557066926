#if SecretService && os(Linux)
internal import CSecret
internal import Glibc

/// Where the session's bus is.
enum SessionBus {
  /// The address, or nil where there is no session.
  ///
  /// GLib's own search would in the end start a bus of its own, on which no keyring is.
  static func address(_ glib: GLib) -> String? {
    if let address = variable("DBUS_SESSION_BUS_ADDRESS") { return address }
    guard let directory = variable("XDG_RUNTIME_DIR") else { return nil }
    let socket = directory + "/bus"
    guard access(socket, F_OK) == 0 else { return nil }
    let escaped = glib.pointee.g_dbus_address_escape_value(socket)
    defer { glib.pointee.g_free(escaped) }
    return "unix:path=" + String(cString: escaped)
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
#endif
