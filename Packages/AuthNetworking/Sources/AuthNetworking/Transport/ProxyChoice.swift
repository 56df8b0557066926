/// Which requests may go through the proxy that the environment names.
///
/// Proxies are taken from `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as curl does it,
/// but never for this machine itself. A proxy's `127.0.0.1` is another machine: a backend that is
/// being developed would not be reached, and plain `http` with a token would leave the machine,
/// which it is allowed because it does not (R8).
enum ProxyChoice {
  /// Whether a request must go directly, whatever the environment says.
  static func isDirect(_ url: HTTPURL) -> Bool { url.origin.isLoopback }
}
