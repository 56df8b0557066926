#if SecretService && os(Linux)
internal import CSecret

/// libsecret and GLib, once they are loaded.
typealias GLib = UnsafePointer<CSecretFunctions>

/// A value that came from the bus.
///
/// What has another type than is asked for reads as nil.
final class DBusReply {
  let raw: OpaquePointer
  private let glib: GLib

  /// Takes over a reference, and one that is floating for good.
  init(taking raw: OpaquePointer, _ glib: GLib) {
    self.raw = raw
    self.glib = glib
  }

  deinit { glib.pointee.g_variant_unref(raw) }

  /// The members of a tuple or an array.
  var members: [DBusReply] {
    guard isOf("r") || isOf("a*") else { return [] }
    return (0..<glib.pointee.g_variant_n_children(raw)).map {
      DBusReply(taking: glib.pointee.g_variant_get_child_value(raw, $0), glib)
    }
  }

  var path: String? { isOf("o") ? string : nil }

  var flag: Bool? { isOf("b") ? glib.pointee.g_variant_get_boolean(raw) != 0 : nil }

  var number: UInt64? { isOf("t") ? glib.pointee.g_variant_get_uint64(raw) : nil }

  /// What is in a variant.
  var content: DBusReply? {
    isOf("v") ? DBusReply(taking: glib.pointee.g_variant_get_variant(raw), glib) : nil
  }

  private var string: String { String(cString: glib.pointee.g_variant_get_string(raw, nil)) }

  private func isOf(_ type: String) -> Bool { glib.pointee.g_variant_is_of_type(raw, type) != 0 }
}
#endif
