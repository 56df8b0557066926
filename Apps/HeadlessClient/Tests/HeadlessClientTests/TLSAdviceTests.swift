import Testing

@testable import HeadlessClient

/// What `doctor` says about a backend that cannot be trusted.
struct TLSAdviceTests {
  @Test(arguments: [
    ("SSL certificate problem: certificate has expired", "renew"),
    ("SSL certificate problem: certificate is not yet valid", "clock behind"),
    ("SSL: no alternative certificate subject name matches target host name 'a'", "another host's"),
    ("SSL: certificate subject name 'b' does not match target host name 'a'", "another host's"),
    ("SSL certificate problem: unable to get local issuer certificate", "--ca-file"),
    ("SSL certificate problem: self-signed certificate in certificate chain", "--ca-file"),
    ("OpenSSL/3.0.22: error:0A00010B:SSL routines::wrong version number", "http://"),
    ("TLS connect error: unexpected eof while reading", "proxy"),
  ])
  func `each cause has its own advice`(message: String, advice: String) {
    #expect(TLSAdvice.advice(for: message).contains(advice))
  }
}
