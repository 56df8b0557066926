import Testing

@testable import SecureStorage

/// Both ciphers against published vectors, and against everything that differs from them.
@Suite struct CipherVectorTests {
  @Test(arguments: CipherVector.published)
  func `the cipher is the one that its standard describes`(vector: CipherVector) throws {
    #expect(try vector.seal() == vector.sealed)
    #expect(try vector.open(vector.sealed[...]) == vector.plaintext)
  }

  @Test(arguments: CipherVector.published)
  func `every truncation and every flipped bit is refused`(vector: CipherVector) throws {
    for count in 0..<vector.sealed.count {
      #expect(try vector.open(vector.sealed.prefix(count)) == nil)
      #expect(try vector.open(vector.sealed.suffix(count)) == nil)
    }
    #expect(try vector.open((vector.sealed + [0])[...]) == nil)
    for bit in 0..<vector.sealed.count * 8 {
      #expect(try vector.open(vector.sealed.flipping(bit)[...]) == nil, "bit \(bit)")
    }
  }

  @Test(arguments: CipherVector.published)
  func `another key, nonce or associated data is refused`(vector: CipherVector) throws {
    for bit in 0..<vector.key.count * 8 {
      #expect(try vector.open(vector.sealed[...], key: vector.key.flipping(bit)) == nil)
    }
    for bit in 0..<vector.nonce.count * 8 {
      #expect(try vector.open(vector.sealed[...], nonce: vector.nonce.flipping(bit)) == nil)
    }
    for bit in 0..<vector.data.count * 8 {
      #expect(try vector.open(vector.sealed[...], data: vector.data.flipping(bit)) == nil)
    }
    #expect(try vector.open(vector.sealed[...], data: vector.data + [0]) == nil)
    #expect(try vector.open(vector.sealed[...], data: []) == nil || vector.data.isEmpty)
  }

  @Test(arguments: CipherVector.published)
  func `a nonce or a key of another length is refused`(vector: CipherVector) throws {
    for count in 0...33 where count != vector.nonce.count {
      let nonce = [UInt8](repeating: 1, count: count)
      #expect(try vector.open(vector.sealed[...], nonce: nonce) == nil)
    }
    for count in [0, 16, 24, 31, 33] {
      let key = [UInt8](repeating: 1, count: count)
      #expect(try vector.open(vector.sealed[...], key: key) == nil)
    }
  }

  @Test(arguments: [CipherName.xchacha20Poly1305, .aes256GCM], [0, 1, 15, 16, 17, 16_777_216])
  func `whatever its length, a plaintext comes back, and a tag stands behind it`(
    name: CipherName,
    size: Int
  ) throws {
    var vector = try #require(CipherVector.published.first { $0.name == name })
    vector.plaintext = [UInt8](repeating: 0x5A, count: size)
    vector.sealed = try vector.seal()
    #expect(vector.sealed.count == size + 16)
    let opened = try vector.open(vector.sealed[...])
    #expect(opened == vector.plaintext)
    // The slice of a longer array, as a row's envelope is.
    let framed = [1, 2, 3] + vector.sealed
    let isSame = try vector.open(framed.dropFirst(3)) == vector.plaintext
    #expect(isSame)
    #expect(try vector.open(vector.sealed.flipping(size * 8)[...]) == nil)
  }
}
