/// What this program calls itself.
package enum ClientVersion {
  /// The version, as `--version` prints it.
  package static let number = "0.1.0"
  /// The build, as `X-Client-Version` carries it.
  package static let build = "headless-0.1.0(1)"
}
