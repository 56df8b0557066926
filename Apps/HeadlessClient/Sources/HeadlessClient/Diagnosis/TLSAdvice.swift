/// What to do about a TLS failure, by what the library says of it.
struct TLSAdvice {
  private let shell: ShellLine
  /// Who cannot be trusted, as `backend`.
  private let peer: String
  /// The option that names it, without the dashes.
  private let option: String

  init(_ shell: ShellLine, peer: String, option: String) {
    self.shell = shell
    self.peer = peer
    self.option = option
  }

  /// The advice for a message of OpenSSL's or of another library behind libcurl.
  func remedy(for message: String) -> Remedy {
    let text = message.lowercased()
    func says(_ words: String...) -> Bool { words.contains { text.contains($0) } }
    if says("expired") {
      return Remedy(
        "The \(peer)'s operators have to renew its certificate, unless this machine's clock is wrong"
      )
    }
    if says("not yet valid") {
      return Remedy(
        "Is this machine's clock behind? If not, the certificate was installed too early",
        run: NetworkDiagnosis.settingTheClock
      )
    }
    if says("subject name", "host name", "hostname", "ip address mismatch") {
      return Remedy("The certificate is another host's: is --\(option) right?")
    }
    if says("wrong version number", "unknown protocol", "packet length", "http request") {
      return Remedy("That port does not speak TLS: is the port right, or http:// meant?")
    }
    if says("issuer", "self-signed", "self signed", "unable to verify", "unknown ca") {
      return Remedy(
        "Name a file with the roots that vouch for the \(peer), instead of FILE; ask its operators "
          + "for it",
        run: shell.setting("ca-file", to: "FILE")
      )
    }
    return Remedy(
      "Is another program between this machine and the \(peer), such as a proxy or a portal?"
    )
  }

  /// The advice where the key is none of the pinned ones.
  var repinning: Remedy {
    Remedy(
      "If the \(peer)'s operators say that they have changed its key, pin the new one that they "
        + "name, instead of BASE64; if not, somebody may be listening: do not go on",
      run: shell.setting("pin", to: "sha256//BASE64")
    )
  }
}
