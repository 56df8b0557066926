/// The file that the body of a 2xx answer goes into, instead of memory.
///
/// It is written beside its place, with mode 0600, and renamed when it is whole and on the disk:
/// under its name there is never a part of it. What fails or is cancelled is removed. The body of
/// any other answer is read as usual. Only a process that is killed leaves its part behind, as
/// `.download-….part`.
public struct DownloadTarget: Equatable, Sendable {
  /// The file's path.
  ///
  /// A file that is there is replaced, by a link the one that it leads to. What is no file (a
  /// directory, a device, a pipe) stays, and nothing is sent. So does what is named by the number of
  /// an open file (`/dev/fd/3`): which one that is depends on what this process has open.
  public var path: String
  /// The largest body that is taken, in bytes after content decoding; nil for any.
  public var maximumBytes: Int64?

  /// A target from its parts.
  public init(_ path: String, maximumBytes: Int64? = nil) {
    self.path = path
    self.maximumBytes = maximumBytes
  }
}
