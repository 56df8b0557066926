extension Remedy {
  /// What to do about a home in which nothing can be written.
  ///
  /// - Parameters:
  ///   - reason: why that is.
  ///   - home: the home's path.
  ///   - moving: the line that moves it to another disk; nil where its key would be lost by that.
  /// - Returns: what to do.
  static func disk(
    _ reason: PrivateFiles.WriteProblem.Reason,
    home: String,
    moving: String?
  ) -> Remedy {
    switch reason {
    case .full:
      Remedy(
        "Free some space there"
          + (moving == nil ? "" : ", or move the home to DIR on another disk"),
        run: moving ?? "df -h \(ShellLine.quoted(home))"
      )
    case .limited:
      Remedy("This shell does not let files grow", run: "ulimit -S -f unlimited")
    case .readOnly:
      Remedy(
        "Make the disk writable"
          + (moving == nil ? "" : ", or move a copy of the home to DIR on another one"),
        run: moving
      )
    case .other: Remedy("Look who may write there", run: "ls -ld \(ShellLine.quoted(home))")
    }
  }
}
