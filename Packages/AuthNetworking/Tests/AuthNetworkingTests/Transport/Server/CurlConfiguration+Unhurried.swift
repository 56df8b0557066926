import AuthNetworking

extension CurlConfiguration {
  /// For tests of which connection is used: a slow machine does not make one too old.
  static func unhurried(caFile: String? = nil) -> CurlConfiguration {
    var configuration = CurlConfiguration(caFile: caFile)
    configuration.longestIdleBeforePost = 3600
    return configuration
  }
}
