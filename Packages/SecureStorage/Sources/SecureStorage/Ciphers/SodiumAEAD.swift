/// What libsodium's authenticated ciphers share: they differ in their functions and lengths alone.
struct SodiumAEAD: Sendable {
  typealias Bytes = UnsafePointer<UInt8>
  typealias Output = UnsafeMutablePointer<UInt8>
  typealias Length = UnsafeMutablePointer<UInt64>
  typealias Encrypt =
    @Sendable (Output, Length?, Bytes?, UInt64, Bytes?, UInt64, Bytes?, Bytes, Bytes) -> Int32
  typealias Decrypt =
    @Sendable (Output?, Length?, Output?, Bytes, UInt64, Bytes?, UInt64, Bytes, Bytes) -> Int32

  let keyLength: Int
  let nonceLength: Int
  let tagLength: Int
  let encrypt: Encrypt
  let decrypt: Decrypt

  func seal(
    _ plaintext: UnsafeRawBufferPointer,
    into sealed: UnsafeMutableRawBufferPointer,
    key: UnsafeRawBufferPointer,
    nonce: UnsafeRawBufferPointer,
    associatedData: UnsafeRawBufferPointer
  ) {
    precondition(
      key.count == keyLength && nonce.count == nonceLength
        && sealed.count == plaintext.count + tagLength
    )
    guard let output = sealed.bytes, let key = key.bytes, let nonce = nonce.bytes else {
      preconditionFailure("none of them is empty, as checked above")
    }
    _ = encrypt(
      output,
      nil,
      plaintext.bytes,
      UInt64(plaintext.count),
      associatedData.bytes,
      UInt64(associatedData.count),
      nil,
      nonce,
      key
    )
  }

  func open(
    _ sealed: UnsafeRawBufferPointer,
    into plaintext: UnsafeMutableRawBufferPointer,
    key: UnsafeRawBufferPointer,
    nonce: UnsafeRawBufferPointer,
    associatedData: UnsafeRawBufferPointer
  ) -> Bool {
    guard sealed.count >= tagLength, plaintext.count == sealed.count - tagLength,
      nonce.count == nonceLength, key.count == keyLength,
      let input = sealed.bytes, let key = key.bytes, let nonce = nonce.bytes
    else { return false }
    return decrypt(
      plaintext.bytes,
      nil,
      nil,
      input,
      UInt64(sealed.count),
      associatedData.bytes,
      UInt64(associatedData.count),
      nonce,
      key
    ) == 0
  }
}
