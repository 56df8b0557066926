/// Where everything on disk lives: `<home>/profiles/<name>/…`, all of it for its owner only.
package struct HomeDirectory: Equatable, Sendable {
  /// The absolute path.
  package let path: String

  /// The directory that the options or the environment name.
  ///
  /// - Throws: ``ClientError`` of code `usage` where nothing names one.
  package init(option: String?, environment: [String: String]) throws(ClientError) {
    if let option {
      guard !option.isEmpty else { throw .usage("--home needs a directory") }
      path = FilePath.absolute(option)
    } else if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      // The XDG specification has relative paths ignored.
      path = FilePath.join(data, "headless-client")
    } else if let home = FilePath.userHome(environment) {
      path = FilePath.join(home, ".local", "share", "headless-client")
    } else {
      throw .usage("there is no home directory", advice: "Name one with --home DIR")
    }
  }

  /// A directory by its path.
  package init(path: String) { self.path = path }

  /// What the profiles lie in, each in a directory of its name.
  package var profilesDirectory: String { FilePath.join(path, "profiles") }

  /// What a profile's files lie in.
  package func profileDirectory(_ name: ProfileName) -> String {
    FilePath.join(profilesDirectory, name.rawValue)
  }

  /// What was found, and mended, when the directory was looked at.
  package enum Condition: Equatable, Sendable {
    /// Nothing is there yet.
    case absent
    /// Ours alone.
    case sound
    /// Others can read it, and it is on a read-only disk. Holds the mode in octal digits.
    case exposed(String)
    /// Others could read it; they can't any more. Holds the old mode in octal digits.
    case tightened(String)
  }

  /// Looks whether others could get at what is stored, and shuts them out where they can read.
  ///
  /// - Throws: ``ClientError`` of code `storage` where others can write to it or own it: what it
  ///   holds may be theirs.
  package func secure() throws(ClientError) -> Condition {
    guard let modes = try PrivateFiles.modes(of: path) else { return .absent }
    guard modes.isOurs else {
      throw ClientError(
        .storage,
        "\(path) belongs to another user",
        advice: "Use a directory of your own: --home DIR"
      )
    }
    guard modes.bits & 0o022 == 0 else {
      throw ClientError(
        .storage,
        "Others can write to \(path)",
        advice: "Make sure that nobody has, then run: chmod 700 \(path)"
      )
    }
    guard modes.bits & 0o077 != 0 else { return .sound }
    let mode = String(modes.bits, radix: 8)
    return try PrivateFiles.tighten(path) ? .tightened(mode) : .exposed(mode)
  }

  /// Makes the profile's directory where it is missing.
  package func makeProfile(_ name: ProfileName) throws(ClientError) {
    try PrivateFiles.makeDirectory(path)
    try PrivateFiles.makeDirectory(profilesDirectory)
    try PrivateFiles.makeDirectory(profileDirectory(name))
  }
}
