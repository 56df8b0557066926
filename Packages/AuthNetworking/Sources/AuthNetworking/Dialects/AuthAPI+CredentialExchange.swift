extension AuthAPI {
  /// Where the dialect's paths begin: the base URL with ``pathPrefix``.
  ///
  /// - Throws: ``HTTPURLError`` where the prefix is no path.
  public func apiBase(_ base: HTTPURL) throws(HTTPURLError) -> HTTPURL {
    try base.appending(path: pathPrefix)
  }

  /// Whether a URL is the dialect's login, register, refresh or logout.
  ///
  /// Such a request carries no token, never refreshes and follows no redirect, also when
  /// somebody sends it by hand. Trailing and doubled slashes, the query and needless
  /// percent-encoding make no difference, as they do not to most servers.
  public func isCredentialExchange(_ url: HTTPURL, base: HTTPURL) -> Bool {
    CredentialPaths(self, base: base).contains(url)
  }
}
