#if SecretService && os(Linux)
internal import CSecret

/// An argument of a D-Bus call; only the types that the Secret Service takes.
indirect enum DBusValue {
  case text(String)
  case path(String)
  case flag(Bool)
  /// A value whose type travels with it (`v`).
  case variant(DBusValue)
  /// A dictionary of texts (`a{ss}`).
  case texts([(String, String)])
  /// A dictionary of variants (`a{sv}`).
  case properties([(String, DBusValue)])
  /// What came from the bus, or was sealed for it.
  case reply(DBusReply)

  /// The value as GLib has it; owned by whoever takes it first.
  func floating(_ glib: GLib) -> OpaquePointer {
    switch self {
    case .text(let text): glib.pointee.g_variant_new_string(text)
    case .path(let path): glib.pointee.g_variant_new_object_path(path)
    case .flag(let flag): glib.pointee.g_variant_new_boolean(flag ? 1 : 0)
    case .variant(let value): glib.pointee.g_variant_new_variant(value.floating(glib))
    case .texts(let entries):
      Self.dictionary(entries.map { ($0.0, .text($0.1)) }, of: "{ss}", glib)
    case .properties(let entries):
      Self.dictionary(entries.map { ($0.0, .variant($0.1)) }, of: "{sv}", glib)
    case .reply(let reply): reply.raw
    }
  }

  static func tuple(_ values: [DBusValue], _ glib: GLib) -> OpaquePointer {
    let children = values.map { $0.floating(glib) }
    return glib.pointee.g_variant_new_tuple(children, children.count)
  }

  private static func dictionary(
    _ entries: [(String, DBusValue)],
    of type: String,
    _ glib: GLib
  ) -> OpaquePointer {
    let children = entries.map { key, value in
      glib.pointee.g_variant_new_dict_entry(
        glib.pointee.g_variant_new_string(key),
        value.floating(glib)
      )
    }
    return glib.pointee.g_variant_new_array(type, children, children.count)
  }
}
#endif
