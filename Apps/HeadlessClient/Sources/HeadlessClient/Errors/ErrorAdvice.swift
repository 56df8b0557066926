/// What a person can do about an error that other packages report without saying so.
enum ErrorAdvice {
  /// The advice for a code and what was said with it; nil where there is none to give.
  static func text(for code: ClientError.Code, saying message: String = "") -> String? {
    switch code {
    case .notSignedIn, .sessionEnded: "Sign in with login"
    case .network where TransportWords.isAboutProxy(message):
      "Is the proxy right that https_proxy, http_proxy or all_proxy names?"
    case .network where message.contains("must not be sent twice"):
      "It may have been carried out: look before you repeat it"
    case .network: "Is there a network, and is the server's URL right? doctor finds out more"
    case .timeout: "The server is slow, or packets are dropped; a longer --timeout may help"
    case .tls: forTLS(message.lowercased())
    case .pinMismatch:
      "If the server's key was changed on purpose, give the new --pin; if not, do not go on. "
        + notRemembered("--pin")
    default: nil
    }
  }

  private static func forTLS(_ message: String) -> String {
    func says(_ words: String...) -> Bool { words.contains { message.contains($0) } }
    if says("expired") {
      return "Its operators have to renew the certificate, unless this machine's clock is wrong"
    }
    if says("not yet valid") { return "Is this machine's clock behind?" }
    if says("subject name", "host name", "hostname", "ip address mismatch") {
      return "The certificate is another host's: is the server's URL right?"
    }
    if says("issuer", "self-signed", "self signed", "unable to", "unknown ca") {
      return "doctor says what to do about it. \(notRemembered("--ca-file"))"
    }
    return "doctor says what to do about it"
  }

  private static func notRemembered(_ option: String) -> String {
    let variable = "HEADLESS_CLIENT_" + option.dropFirst(2).uppercased().replacing("-", with: "_")
    return "\(option) is not remembered: give it every time, or set \(variable)"
  }
}
