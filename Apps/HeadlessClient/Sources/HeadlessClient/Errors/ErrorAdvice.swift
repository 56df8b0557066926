/// What a person can do about an error that other packages report without saying so.
enum ErrorAdvice {
  /// The advice for a code; nil where there is none to give.
  static func text(for code: ClientError.Code) -> String? {
    switch code {
    case .notSignedIn, .sessionEnded: "Sign in with login"
    case .network: "Is there a network, and is the server's URL right? doctor finds out more"
    case .timeout: "The server is slow, or packets are dropped; a longer --timeout may help"
    case .tls: "doctor says what to do about it. \(notRemembered("--ca-file"))"
    case .pinMismatch:
      "If the server's key was changed on purpose, give the new --pin; if not, do not go on. "
        + notRemembered("--pin")
    default: nil
    }
  }

  private static func notRemembered(_ option: String) -> String {
    let variable = "HEADLESS_CLIENT_" + option.dropFirst(2).uppercased().replacing("-", with: "_")
    return "\(option) is not remembered: give it every time, or set \(variable)"
  }
}
