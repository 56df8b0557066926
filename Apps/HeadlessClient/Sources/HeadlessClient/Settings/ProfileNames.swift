#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The profiles of a home.
enum ProfileNames {
  /// Their names in order; none where the home cannot be read.
  static func all(in home: HomeDirectory) -> [String] {
    guard let stream = opendir(home.profilesDirectory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard ProfileName(name) != nil, isDirectory(FilePath.join(home.profilesDirectory, name))
      else { continue }
      names.append(name)
    }
    return names.sorted()
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
