import SessionModels
import Testing

@testable import SecureStorage

/// The vectors of FORMAT.md, which were computed by another program (Python's hashlib, and
/// libsodium called directly).
@Suite struct FormatVectorTests {
  private static let dataKey = (0x80...0x9F as ClosedRange<UInt8>).bytes
  private static let rootKey = (0...31 as ClosedRange<UInt8>).bytes
  private static let storeID = (0x10...0x1F as ClosedRange<UInt8>).bytes
  private static let keysetRow = hex(
    """
    0192a890d9000102030405060708090a0b0c0d0e0f10111213141516179fc21d07f3baeccd5b2514fee622c784
    32761b95c8d61ce97c1e3ab03aa5fc53550abbea4e771876c681bb4fd8394a786aa6ff475875f91a039b923c8d
    e4407433a27c378d1fe30da5d5ad4dd6eb8632c8928f0e2693aa01cf0aa6eb2c8fec7745afd4a7ad249c12e932
    c2a7447685227c8e01e69e49b247f8a4dd2a919e14
    """
  )
  private static let valueRow = hex(
    """
    00000000000000050101020304404142434445464748494a4b4c4d4e4f5051525354555657f10a109b379f8128
    997e02b66110f6a4cfd92a601c7dd2d57d26d773
    """
  )

  private let item = SealedItem.value(KeyName(unchecked: "colour"), in: .user)

  private func sealer() throws -> Sealer {
    let root = try #require(RootKey(Self.rootKey))
    return Sealer(
      storeID: Self.storeID,
      keyring: try KeysetRow.open(Self.keysetRow, with: root, storeID: Self.storeID),
      cipher: XChaCha20Poly1305(),
      random: .counting(from: 0x40)
    )
  }

  @Test func `the cipher is that of draft-irtf-cfrg-xchacha-03, A.3.1`() {
    let plaintext = Array(
      """
      Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the \
      future, sunscreen would be it.
      """.utf8
    )
    let sealed = Self.dataKey.withUnsafeBytes {
      XChaCha20Poly1305().seal(
        plaintext,
        key: $0,
        nonce: (0x40...0x57 as ClosedRange<UInt8>).bytes,
        associatedData: hex("50515253c0c1c2c3c4c5c6c7")
      )
    }
    #expect(sealed.suffix(16) == hex("c0875924c1c7987947deafd8780acf49")[...])
    #expect(sealed.prefix(8) == hex("bd6d179d3e83d43b")[...])
  }

  @Test func `the associated data holds five fields with their lengths`() {
    let data = item.associatedData(storeID: Self.storeID, keyID: 0x0102_0304, generation: 5)
    #expect(
      data
        == hex(
          """
          00000001 01 00000010 101112131415161718191a1b1c1d1e1f 00000008 0101636f6c6f7572
          00000004 01020304 00000008 0000000000000005
          """
        )
    )
  }

  @Test func `a row's name is a keyed hash of namespace and name`() throws {
    let name = try sealer().keyring.rowName(KeyName(unchecked: "colour"), in: .user)
    #expect(name.space == 1)
    #expect(name.bytes == hex("7b8c9aeb565c2e4f62096d6337935d6f25b9c96cc7960cb0bdb83166dd535fba"))
  }

  @Test func `a root key's id is the beginning of a keyed hash`() throws {
    #expect(try #require(RootKey(Self.rootKey)).id == 0x92A8_90D9)
  }

  @Test func `a plain record ends in its checksum`() {
    var framed = hex("66696c65 737d07062d0f4ab5fffe4e7894775c08")
    #expect(Checksummed.frame(Array("file".utf8)) == framed)
    #expect(Checksummed.payload(of: framed) == Array("file".utf8))
    framed[0] ^= 1
    #expect(Checksummed.payload(of: framed) == nil)
  }

  @Test func `a value's row is its generation and Tink's envelope`() throws {
    let sealer = try sealer()
    let content = Array("blue".utf8).withUnsafeBytes {
      ValueContent.encode(KeyName(unchecked: "colour"), $0)
    }
    #expect(sealer.seal(content, as: item, generation: 5).bytes == Self.valueRow)
    let opened = try #require(sealer.open(Self.valueRow, as: item))
    #expect(opened.generation == 5)
    #expect(ValueContent.decode(opened.plaintext)?.value == Secret("blue"))
  }

  @Test func `the keyset's row is sealed by the root key`() throws {
    let root = try #require(RootKey(Self.rootKey))
    let keyring = try sealer().keyring
    #expect(keyring.keyIDs == [0x0102_0304])
    #expect(
      KeysetRow.seal(keyring, with: root, storeID: Self.storeID, random: .counting())
        == Self.keysetRow
    )
  }

  @Test func `a manifest names its entries with generation and tag`() throws {
    let tag = try #require(RowTag(ofRow: Self.valueRow))
    let manifest = Manifest(
      count: 1,
      body: .inline([KeyName(unchecked: "colour"): Manifest.Entry(generation: 5, tag: tag)])
    )
    let bytes = hex(
      "01 00000001 00000001 0006636f6c6f7572 0000000000000005 6110f6a4cfd92a601c7dd2d57d26d773"
    )
    #expect(manifest.encoded() == bytes)
    #expect(Manifest(encoded: bytes) == manifest)
  }

  @Test func `a passphrase file opens with its passphrase`() throws {
    let content = hex(
      """
      535350560100000000000000010000000000010000000102030405060708090a0b0c0d0e0f1011121314151617
      18191a1b1c1d1e1f2021222324252627e4321a12168388ba6f5dab7037ab8a6f51fecb0836e883173f8c607026
      44025eae6a2ac3311927b43145ac0cd6bc982c
      """
    )
    let root = try #require(RootKey(Self.rootKey))
    let cost = KeyDerivationCost(passes: 1, memory: 65_536)
    let file = Array("correct horse".utf8).withUnsafeBytes {
      PassphraseFile(root, under: $0, cost: cost, random: .counting())
    }
    #expect(file?.encoded() == content)
    let answer = Array("correct horse".utf8).withUnsafeBytes {
      PassphraseFile(encoded: content)?.open(with: $0)
    }
    guard case .key(let key) = try #require(answer) else {
      Issue.record("the passphrase did not open the file")
      return
    }
    #expect(key.isSame(as: root))
  }

  @Test func `every truncation, flipped bit and swapped field of a row is refused`() throws {
    let sealer = try sealer()
    for count in 0..<Self.valueRow.count {
      #expect(sealer.open(Array(Self.valueRow.prefix(count)), as: item) == nil)
    }
    for bit in 0..<Self.valueRow.count * 8 {
      var row = Self.valueRow
      row[bit / 8] ^= 1 << (bit % 8)
      #expect(sealer.open(row, as: item) == nil, "bit \(bit)")
    }
    let others = [
      SealedItem.value(KeyName(unchecked: "colour"), in: .session),
      SealedItem.value(KeyName(unchecked: "color"), in: .user),
      SealedItem(kind: .manifestPage, namespace: 1, name: Array("colour".utf8)),
    ]
    for other in others { #expect(sealer.open(Self.valueRow, as: other) == nil) }
    let elsewhere = Sealer(
      storeID: Self.storeID.reversed(),
      keyring: sealer.keyring,
      cipher: sealer.cipher,
      random: sealer.random
    )
    #expect(elsewhere.open(Self.valueRow, as: item) == nil)
  }
}
