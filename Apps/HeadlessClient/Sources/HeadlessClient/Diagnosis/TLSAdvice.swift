/// What to do about a TLS failure, by what the library says of it.
enum TLSAdvice {
  /// The advice for a message of OpenSSL's or of another library behind libcurl.
  static func advice(for message: String) -> String {
    let text = message.lowercased()
    func says(_ words: String...) -> Bool { words.contains { text.contains($0) } }
    if says("expired") {
      return "The backend's operators have to renew its certificate, unless this machine's clock "
        + "is wrong"
    }
    if says("not yet valid") {
      return "Is this machine's clock behind? If not, the certificate was installed too early"
    }
    if says("subject name", "host name", "hostname", "ip address mismatch") {
      return "The certificate is another host's: is --base-url right?"
    }
    if says("wrong version number", "unknown protocol", "packet length", "http request") {
      return "That port does not speak TLS: is the port right, or http:// meant?"
    }
    if says("issuer", "self-signed", "self signed", "unable to verify", "unknown ca") {
      return "Name the roots that vouch for the backend with --ca-file"
    }
    return "Is another program between this machine and the backend, such as a proxy or a portal?"
  }
}
