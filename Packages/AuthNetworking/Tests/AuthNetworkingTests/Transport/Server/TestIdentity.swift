import COpenSSL

@testable import AuthNetworking

/// A certificate with its private key, made for one test.
final class TestIdentity: @unchecked Sendable {
  // `@unchecked` holds because nothing changes after `init`, and OpenSSL's counted objects may be
  // read by several threads.
  let certificate: OpaquePointer
  let key: OpaquePointer

  /// A certificate authority of its own.
  static func authority() throws -> TestIdentity {
    try TestIdentity(name: "Test Authority", hosts: nil, issuer: nil, from: -3600, until: 3600)
  }

  /// A server's certificate, signed by an authority, valid for an hour unless said otherwise.
  static func server(
    _ authority: TestIdentity,
    hosts: String = "DNS:localhost,IP:127.0.0.1",
    from: Int = -3600,
    until: Int = 3600
  ) throws -> TestIdentity {
    try TestIdentity(name: "Server", hosts: hosts, issuer: authority, from: from, until: until)
  }

  private init(
    name: String,
    hosts: String?,
    issuer: TestIdentity?,
    from: Int,
    until: Int
  ) throws {
    guard let key = TestIdentity.makeKey(), let certificate = X509_new() else {
      throw TestFailure("no key")
    }
    self.key = key
    self.certificate = certificate
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...Int(Int32.max)))
    X509_gmtime_adj(X509_getm_notBefore(certificate), from)
    X509_gmtime_adj(X509_getm_notAfter(certificate), until)
    X509_set_pubkey(certificate, key)
    let subject = X509_get_subject_name(certificate)
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0)
    X509_set_issuer_name(
      certificate,
      issuer.map { X509_get_subject_name($0.certificate) } ?? subject
    )
    if let hosts {
      addExtension(NID_subject_alt_name, hosts)
    } else {
      addExtension(NID_basic_constraints, "critical,CA:TRUE")
    }
    guard X509_sign(certificate, issuer?.key ?? key, nil) > 0 else {
      throw TestFailure("not signed")
    }
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  /// The certificate in PEM, as a CA file holds it.
  var pem: String {
    let output = BIO_new(BIO_s_mem())
    defer { BIO_free(output) }
    PEM_write_bio_X509(output, certificate)
    var text = [UInt8](repeating: 0, count: 8192)
    let count = BIO_read(output, &text, Int32(text.count))
    return String(decoding: text.prefix(Int(max(count, 0))), as: UTF8.self)
  }

  /// The certificate in DER.
  var der: [UInt8] {
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = i2d_X509(certificate, &encoded)
    defer { CRYPTO_free(encoded, #file, #line) }
    return Array(UnsafeBufferPointer(start: encoded, count: Int(max(length, 0))))
  }

  /// The public key with its algorithm, in DER.
  var publicKey: [UInt8] {
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = i2d_PUBKEY(key, &encoded)
    defer { CRYPTO_free(encoded, #file, #line) }
    return Array(UnsafeBufferPointer(start: encoded, count: Int(max(length, 0))))
  }

  /// The pin of the key.
  var pin: SPKIPin? {
    var digest = [UInt8](repeating: 0, count: 32)
    let publicKey = publicKey
    EVP_Digest(publicKey, publicKey.count, &digest, nil, EVP_sha256(), nil)
    var text = [UInt8](repeating: 0, count: 45)
    EVP_EncodeBlock(&text, digest, Int32(digest.count))
    return SPKIPin("sha256//" + String(decoding: text.prefix(44), as: UTF8.self))
  }

  private func addExtension(_ kind: Int32, _ value: String) {
    let field = X509V3_EXT_conf_nid(nil, nil, kind, value)
    X509_add_ext(certificate, field, -1)
    X509_EXTENSION_free(field)
  }

  private static func makeKey() -> OpaquePointer? {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "ED25519", nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_generate(context, &key) == 1 else {
      return nil
    }
    return key
  }
}
