import Testing

@testable import HeadlessClient

/// What `doctor` says about a backend that cannot be trusted.
struct TLSAdviceTests {
  @Test(arguments: [
    ("SSL certificate problem: certificate has expired", "renew"),
    ("SSL certificate problem: certificate is not yet valid", "clock behind"),
    ("SSL: no alternative certificate subject name matches target host name 'a'", "another host's"),
    ("SSL: certificate subject name 'b' does not match target host name 'a'", "another host's"),
    ("SSL certificate problem: unable to get local issuer certificate", "the roots"),
    ("SSL certificate problem: self-signed certificate in certificate chain", "the roots"),
    ("OpenSSL/3.0.22: error:0A00010B:SSL routines::wrong version number", "http://"),
    ("TLS connect error: unexpected eof while reading", "proxy"),
  ])
  func `each cause has its own advice`(message: String, advice: String) throws {
    #expect(remedy(for: message).text.contains(advice))
  }

  @Test func `unknown roots are named by a command, where the wrong ones came from`() {
    let message = "unable to get local issuer certificate"
    #expect(remedy(for: message).command == "export HEADLESS_CLIENT_CA_FILE=FILE")
    #expect(
      remedy(for: message, ["--ca-file", "/x", "--home", "/a b"]).command
        == "headless-client doctor --ca-file FILE --home '/a b'"
    )
  }

  private func remedy(for message: String, _ options: [String] = []) -> Remedy {
    var values: [String: [String]] = [:]
    for index in stride(from: 0, to: options.count, by: 2) {
      values[String(options[index].dropFirst(2))] = [options[index + 1]]
    }
    let shell = ShellLine(values: values, environment: [:])
    return TLSAdvice(shell, peer: "backend", option: "base-url").remedy(for: message)
  }
}
