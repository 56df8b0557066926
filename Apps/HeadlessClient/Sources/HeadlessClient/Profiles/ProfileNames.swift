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
    ProfileFiles.entries(of: home.profilesDirectory).filter { name in
      ProfileName(name) != nil && isDirectory(FilePath.join(home.profilesDirectory, name))
    }.sorted()
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
