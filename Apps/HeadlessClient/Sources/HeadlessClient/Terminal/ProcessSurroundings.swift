#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// What the process was given when it was started.
package enum ProcessSurroundings {
  /// Keeps libraries from printing on their own, unless they were told to.
  ///
  /// The TPM's do so on stderr, where errors of this program are one line each. To be called while
  /// the process has one thread: an environment is not to be changed under others.
  package static func quietenLibraries() { setenv("TSS2_LOG", "all+none", 0) }

  /// The command line, and what of it and of the environment is not UTF-8.
  package static var text: ProcessText {
    var text = ProcessText([])
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[index] else { break }
      if String(validatingCString: argument) == nil {
        text.repairedArguments.insert(text.arguments.count)
      }
      text.arguments.append(String(cString: argument))
    }
    var next = environ
    while let entry = next.pointee {
      if String(validatingCString: entry) == nil {
        text.repairedVariables.append(
          String(String(cString: entry).prefix { $0 != "=" })
        )
      }
      next += 1
    }
    return text
  }

  /// The environment; of equal names the first counts, as for `getenv`.
  package static var environment: [String: String] {
    var environment: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      if let equals = text.firstIndex(of: "=") {
        let name = String(text[..<equals])
        if environment[name] == nil {
          environment[name] = String(text[text.index(after: equals)...])
        }
      }
      next += 1
    }
    return environment
  }
}
