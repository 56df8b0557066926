#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// What this client tells backends about itself.
enum UserAgent {
  /// Product, version and system, as http.md has it: `headless-client/0.1.0 (Linux 6.1.0)`.
  static var text: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "headless-client/\(ClientVersion.number)" }
    let system = text(of: names.sysname)
    let release = text(of: names.release)
    return "headless-client/\(ClientVersion.number) (\(system) \(release))"
  }

  /// The text of one of `uname`'s fixed arrays; what no header may hold is left out.
  private static func text<Characters>(of characters: Characters) -> String {
    withUnsafeBytes(of: characters) { bytes in
      String(
        decoding: bytes.prefix { $0 != 0 }.filter { (0x21...0x7E).contains($0) },
        as: UTF8.self
      )
    }
  }
}
