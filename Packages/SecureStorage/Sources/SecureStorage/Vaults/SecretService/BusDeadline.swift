#if SecretService && os(Linux)
internal import CSecret
internal import Dispatch

/// Ends every call on the bus that still waits when the time is over.
// `@unchecked` holds because a GCancellable may be cancelled from any thread, and the rest is
// constant.
final class BusDeadline: @unchecked Sendable {
  let cancellable: UnsafeMutableRawPointer
  private let glib: GLib

  init(in time: Duration, _ glib: GLib) {
    self.glib = glib
    cancellable = glib.pointee.g_cancellable_new()
    let (seconds, attoseconds) = time.components
    let end = DispatchTime.now() + Double(seconds) + Double(attoseconds) * 1e-18
    DispatchQueue.global().asyncAfter(deadline: end) { [weak self] in
      guard let self else { return }
      self.glib.pointee.g_cancellable_cancel(self.cancellable)
    }
  }

  deinit { glib.pointee.g_object_unref(cancellable) }
}
#endif
