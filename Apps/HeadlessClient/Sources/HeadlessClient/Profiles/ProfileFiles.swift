#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Profiles' directories as a whole: renamed and removed in one step each.
enum ProfileFiles {
  /// What a profile that is being removed is called; no profile's name begins like that.
  private static let removedPrefix = ".removed-"

  /// Gives a directory another name, where that is free.
  ///
  /// The name is taken first, so that of two who want it one gets it, and a crash leaves at most
  /// an empty profile.
  ///
  /// - Throws: ``ClientError`` of code `invalidInput` where the name is taken.
  static func rename(_ path: String, to target: String) throws(ClientError) {
    guard mkdir(target, 0o700) == 0 else {
      if errno == EEXIST {
        throw ClientError(.invalidInput, "There is something in \(target) already")
      }
      throw failure("\(target) cannot be made")
    }
    guard systemRename(path, target) == 0 else {
      let reason = errno
      rmdir(target)
      throw failure("\(path) cannot be renamed", reason)
    }
    sync(FilePath.parent(of: target))
  }

  /// Removes a profile's directory with everything in it, and what a removal before left over.
  ///
  /// It goes from its place in one step; what an interruption leaves is no profile any more.
  static func remove(_ path: String, in profiles: String) throws(ClientError) {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    let target = FilePath.join(profiles, "\(removedPrefix)\(name)-\(getpid())")
    guard systemRename(path, target) == 0 else { throw failure("\(path) cannot be removed") }
    sync(profiles)
    for entry in entries(of: profiles) where entry.hasPrefix(removedPrefix) {
      try removeAll(FilePath.join(profiles, entry))
    }
  }

  /// When the newest of some files was changed, in seconds since 1970; nil where none is there.
  static func lastChange(of paths: [String]) -> Double? {
    paths.compactMap { path -> Double? in
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      #if canImport(Darwin)
      let time = status.st_mtimespec
      #else
      let time = status.st_mtim
      #endif
      return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }.max()
  }

  private static func removeAll(_ path: String) throws(ClientError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw failure("\(path) cannot be examined")
    }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    if isDirectory {
      for entry in entries(of: path) { try removeAll(FilePath.join(path, entry)) }
    }
    guard (isDirectory ? rmdir(path) : unlink(path)) == 0 || errno == ENOENT else {
      throw failure("\(path) cannot be removed")
    }
  }

  /// The names in a directory; none where it cannot be read.
  static func entries(of path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func sync(_ directory: String) {
    let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private static func failure(_ text: String, _ reason: Int32 = errno) -> ClientError {
    ClientError(.storage, "\(text): \(String(cString: strerror(reason)))")
  }
}

private func systemRename(_ path: String, _ target: String) -> Int32 { rename(path, target) }
