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
    0192a890d9000102030405060708090a0b0c0d0e0f10111213141516179fc20e7d93d688a8344c2fc4c05e
    a5e6445739b7eec208fd680226ac26b1e8474107b4e745670865d796aa59dd59300a10d98a387544d66968
    f7ea0cbcd7717433a27c378d1fe30da5d5ad4dd6eb8632c8928f0e2693aa01cf0aa6eb2c8fecb9c33d7091
    26a707d45f7e70fa7bb1ffea740dcd7e84877d18cc626155520783
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
    return try Sealer(
      storeID: Self.storeID,
      keyring: try KeysetRow.open(Self.keysetRow, with: root, storeID: Self.storeID),
      suite: .system,
      random: .counting(from: 0x40)
    )
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
}
