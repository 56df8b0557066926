/// Which requests may go through the proxy that the environment names.
///
/// Proxies are taken from `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as curl does
/// it. One case is refused: plain `http` to this machine is allowed to carry a token because it
/// does not leave the machine (R8), so it must not leave it by a proxy either.
enum ProxyChoice {
  /// Whether a request must go directly, whatever the environment says.
  static func isDirect(_ url: HTTPURL, environment: (String) -> String?) -> Bool {
    guard url.origin.scheme == "http", url.origin.isLoopback else { return false }
    // Upper-case HTTP_PROXY is not read: in a CGI program it is a header that a client sent.
    let names = ["http_proxy", "all_proxy", "ALL_PROXY"]
    guard let proxy = names.lazy.compactMap(environment).first(where: { !$0.isEmpty }) else {
      return false
    }
    return !isLoopback(proxy: proxy)
  }

  private static func isLoopback(proxy: String) -> Bool {
    let authority = proxy.split(separator: "://", maxSplits: 1).last ?? ""
    let host = authority.split(separator: "@").last ?? ""
    return HTTPURL("http://\(host)")?.origin.isLoopback ?? false
  }
}
