internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// A download on its way to its place.
///
/// Opened, finished and discarded by the caller's task, on threads that may block; written to by
/// the transport's own thread, also after the caller has given up: that write fails.
package final class DownloadFile: Sendable {
  private struct State {
    var open: (descriptor: Int32, place: Place)?
    var size: Int64 = 0
  }

  /// Where the whole file goes, and where it grows.
  private struct Place {
    let path: String
    let part: String

    init(_ path: String) {
      let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
      let number = String(UInt64.random(in: 0 ... .max), radix: 16)
      self.path = path
      part = "\(directory).download-\(number).part"
    }
  }

  private let target: DownloadTarget
  private let state = Mutex(State())

  /// A download to a place; nothing is there yet.
  package init(_ target: DownloadTarget) { self.target = target }

  deinit { discardNow() }

  /// Makes the part beside the place.
  ///
  /// - Throws: ``TransportError/Code/file``.
  package func open() async throws(TransportError) {
    guard !target.path.isEmpty, !target.path.utf8.contains(0), target.path.utf8.last != 0x2F else {
      throw TransportError(.file, "The name of the file to download into is no file name")
    }
    if let error = await DetachedThread.run({ [self] in openNow() }) { throw error }
  }

  private func openNow() -> TransportError? {
    var place = Place(target.path)
    var status = stat()
    if lstat(target.path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFLNK {
        // First of all: that of a pipe leads to no path, and would be told to be missing.
        guard !OpenDescriptor.isNamed(by: target.path) else {
          return TransportError(
            .file,
            "\(target.path) is an open file of a process, maybe this one's own: name the file itself"
          )
        }
        // What a link leads to is replaced, not the link.
        guard let path = realPath(target.path), stat(path, &status) == 0 else {
          return failure(errno)
        }
        place = Place(path)
      }
      if status.st_mode & S_IFMT == S_IFDIR { return failure(EISDIR) }
      guard status.st_mode & S_IFMT == S_IFREG else {
        return TransportError(
          .file,
          "\(target.path) is a device, a pipe or a socket: only a file is replaced"
        )
      }
    }
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let descriptor = systemOpen(place.part, flags, 0o600)
    guard descriptor >= 0 else { return failure(errno) }
    state.withLock { $0.open = (descriptor, place) }
    return nil
  }

  /// Adds bytes.
  ///
  /// - Throws: ``TransportError``: `file`, or `responseTooLarge`.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
    let number = try state.withLock { state throws(TransportError) in
      guard let descriptor = state.open?.descriptor else { throw TransportError.cancelledByCaller }
      if let maximum = target.maximumBytes, Int64(bytes.count) > maximum - state.size {
        throw TransportError(.responseTooLarge, "The answer is larger than allowed")
      }
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { return errno }
        rest = rest.dropFirst(count)
      }
      state.size += Int64(bytes.count)
      return 0
    }
    if number != 0 { throw failure(number) }
  }

  /// How many bytes were written.
  package var size: Int64 { state.withLock { $0.size } }

  /// Puts the whole file in its place.
  ///
  /// - Throws: ``TransportError/Code/file``; nothing is left then.
  package func finish() async throws(TransportError) {
    let number = await DetachedThread.run { [self] in
      guard let (descriptor, place) = state.withLock({ $0.open.take() }) else { return EBADF }
      var number: Int32 = fsync(descriptor) == 0 ? 0 : errno
      if close(descriptor) != 0, number == 0 { number = errno }
      if number == 0, rename(place.part, place.path) != 0 { number = errno }
      if number != 0 { _ = unlink(place.part) }
      return number
    }
    if number != 0 { throw failure(number) }
  }

  /// Removes what there is.
  package func discard() async { await DetachedThread.run { [self] in discardNow() } }

  private func discardNow() {
    guard let (descriptor, place) = state.withLock({ $0.open.take() }) else { return }
    _ = close(descriptor)
    _ = unlink(place.part)
  }

  private func failure(_ number: Int32) -> TransportError {
    TransportError(.file, "\(target.path) cannot be written: \(SystemError.text(number))")
  }
}

/// The path without links; nil with `errno` set.
private func realPath(_ path: String) -> String? {
  guard let found = realpath(path, nil) else { return nil }
  defer { free(found) }
  return String(cString: found)
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
