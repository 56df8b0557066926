#if SecretService && os(Linux)
internal import CSecret

/// Why the Secret Service did not do what it was asked for.
enum SecretServiceFailure: Error, Equatable {
  case noLibrary
  case noBus
  case noDaemon
  case noCollection
  case locked
  case noAnswer
  /// It wants to ask somebody first, which a vault never does.
  case wantsToPrompt
  case noSuchObject
  /// The name of another error of D-Bus.
  case refused(String)

  /// Takes over an error of GLib's.
  init(taking error: UnsafeMutablePointer<CSecretError>?, _ glib: GLib) {
    guard let error else {
      self = .refused("no reason given")
      return
    }
    defer { glib.pointee.g_error_free(error) }
    if error.pointee.domain == glib.pointee.g_io_error_quark() {
      // G_IO_ERROR_CANCELLED is the deadline, G_IO_ERROR_TIMED_OUT GLib's own.
      self = [19, 24].contains(error.pointee.code) ? .noAnswer : .noBus
    } else if let name = glib.pointee.g_dbus_error_get_remote_error(error) {
      defer { glib.pointee.g_free(name) }
      self.init(remote: String(cString: name))
    } else {
      self = .refused(String(cString: error.pointee.message))
    }
  }

  private init(remote name: String) {
    switch name {
    case "org.freedesktop.Secret.Error.IsLocked": self = .locked
    case "org.freedesktop.Secret.Error.NoSuchObject",
      "org.freedesktop.DBus.Error.UnknownObject",
      "org.freedesktop.DBus.Error.UnknownMethod":
      self = .noSuchObject
    case "org.freedesktop.DBus.Error.ServiceUnknown",
      "org.freedesktop.DBus.Error.NameHasNoOwner":
      self = .noDaemon
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout":
      self = .noAnswer
    case "org.freedesktop.DBus.Error.Disconnected": self = .noBus
    case let name where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."): self = .noDaemon
    default: self = .refused(name)
    }
  }
}

extension SecretServiceFailure {
  /// The failure as a store says it, with what to do about it.
  var storageError: StorageError {
    switch self {
    case .locked, .wantsToPrompt: StorageError(.vaultLocked, message, advice: advice)
    case .noAnswer: .noAnswer(message, advice: advice)
    default: StorageError(.vaultUnavailable, message, advice: advice)
    }
  }

  private var message: String {
    switch self {
    case .noLibrary: "The keyring cannot be reached: libsecret is not installed"
    case .noBus: "The keyring cannot be reached: there is no D-Bus session bus"
    case .noDaemon: "The keyring cannot be reached: no keyring daemon is on the session bus"
    case .noCollection: "The keyring daemon has no default keyring"
    case .locked: "The keyring is locked"
    case .noAnswer: "The keyring daemon did not answer in time"
    case .wantsToPrompt: "The keyring wants to ask somebody before it keeps or forgets the key"
    case .noSuchObject: "The keyring daemon has no such item any more"
    case .refused(let name): "The keyring daemon refused: \(name)"
    }
  }

  private var advice: String {
    switch self {
    case .noLibrary:
      "Install it (Debian: `apt-get install libsecret-1-0`), or choose another vault."
    case .noBus:
      "Log in at the desktop, or start this with `dbus-run-session`; without a desktop choose "
        + "another vault."
    case .noDaemon:
      "Start one, such as `gnome-keyring-daemon` (Debian: `apt-get install gnome-keyring`), or "
        + "choose another vault."
    case .noCollection:
      "Make one, by logging in at the desktop or in its Passwords and Keys, and try again."
    case .locked, .wantsToPrompt:
      "Unlock it, for example by logging in at the desktop, and try again. Nothing was changed."
    case .noAnswer: "See whether it is running and not stopped, and try again."
    case .noSuchObject, .refused: "Try again; else choose another vault."
    }
  }
}
#endif
