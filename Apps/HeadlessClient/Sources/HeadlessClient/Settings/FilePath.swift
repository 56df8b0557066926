#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Paths as text, joined and made absolute.
enum FilePath {
  /// A path below another one.
  static func join(_ base: String, _ names: String...) -> String {
    names.reduce(base) { path, name in path.hasSuffix("/") ? path + name : "\(path)/\(name)" }
  }

  /// The path itself, seen from the working directory where it is relative.
  static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let pointer = getcwd(nil, 0) else { return path }
    defer { free(pointer) }
    return join(String(cString: pointer), path)
  }

  /// The path without links above it: one directory has one, by whatever path it is reached.
  ///
  /// What is not there yet is taken as it is written.
  static func canonical(_ path: String) -> String {
    if let pointer = realpath(path, nil) {
      defer { free(pointer) }
      return String(cString: pointer)
    }
    let above = parent(of: path)
    guard above != path, let slash = path.lastIndex(of: "/") else { return path }
    return join(canonical(above), String(path[path.index(after: slash)...]))
  }

  /// The path that a path lies in.
  static func parent(of path: String) -> String {
    guard let slash = path.dropLast().lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The home directory of the user, from the environment or the user database.
  static func userHome(_ environment: [String: String]) -> String? {
    if let home = environment["HOME"], home.hasPrefix("/") { return home }
    guard let entry = getpwuid(geteuid()), let directory = entry.pointee.pw_dir else { return nil }
    return String(cString: directory)
  }
}
