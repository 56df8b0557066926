import Testing

@testable import AuthNetworking

@Suite struct SubjectPublicKeyInfoTests {
  @Test func `the key of a certificate is the one that OpenSSL sees`() throws {
    let authority = try TestIdentity.authority()
    for identity in [authority, try TestIdentity.server(authority)] {
      let key = SubjectPublicKeyInfo.bytes(ofCertificate: identity.der)
      #expect(key == identity.publicKey)
      #expect(key?.isEmpty == false)
    }
  }

  @Test func `what is cut off or changed is no certificate, and traps nowhere`() throws {
    let certificate = try TestIdentity.authority().der
    let key = try #require(SubjectPublicKeyInfo.bytes(ofCertificate: certificate))
    for count in certificate.indices {
      #expect(SubjectPublicKeyInfo.bytes(ofCertificate: Array(certificate[..<count])) == nil)
    }
    for index in certificate.indices {
      var changed = certificate
      changed[index] ^= 0xFF
      let found = SubjectPublicKeyInfo.bytes(ofCertificate: changed)
      #expect(found == nil || (found?.count ?? 0) <= certificate.count)
    }
    #expect(key.first == 0x30)
  }

  @Test(
    arguments: [
      [], [0x30], [0x30, 0x80], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x30, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1], [0x31, 0], [0x30, 0], [0x30, 2, 0x30, 0],
    ] as [[UInt8]]
  )
  func `broken lengths are no certificate`(bytes: [UInt8]) {
    #expect(SubjectPublicKeyInfo.bytes(ofCertificate: bytes) == nil)
  }
}
