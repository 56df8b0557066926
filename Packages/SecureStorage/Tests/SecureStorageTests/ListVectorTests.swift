import SessionModels
import Testing

@testable import SecureStorage

/// The vectors of FORMAT.md for lists and the anchor, computed by another program.
@Suite struct ListVectorTests {
  private static let storeID = (0x10...0x1F as ClosedRange<UInt8>).bytes
  private static let valueTag = hex("6110f6a4cfd92a601c7dd2d57d26d773")
  private static let leafRow = hex(
    """
    00000000000000050101020304a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7fe98d24db6c22094
    ab04be19e9af5ddb8eaea61807ead55388bfde6acd9b1256b8de45cc6cbb27f1a8ea5acd35c6fc9c
    """
  )

  /// The sealer of the vectors: data key 8081…9f of id 01020304.
  private func sealer(nonceFrom first: UInt8) throws -> Sealer {
    let ring = (0...31 as ClosedRange<UInt8>).bytes
    let keyring = Keyring(
      encoded: KeyringContent.bytes(nameKey: ring, keyID: 0x0102_0304, first: 0x80)
    )
    return try Sealer(
      storeID: Self.storeID,
      keyring: try #require(keyring),
      suite: .system,
      random: .counting(from: first)
    )
  }

  private func leaf() throws -> Manifest.Leaf {
    let tag = try #require(RowTag(Self.valueTag))
    return [KeyName(unchecked: "colour"): Manifest.Entry(generation: 5, tag: tag)]
  }

  @Test func `a manifest names its entries with generation and tag`() throws {
    let manifest = Manifest(count: 1, leafCount: 1, body: .inline(try leaf()))
    let bytes = hex(
      "01 00000001 00000001 0006636f6c6f7572 0000000000000005 6110f6a4cfd92a601c7dd2d57d26d773"
    )
    #expect(manifest.encoded() == bytes)
    #expect(try Manifest(encoded: bytes) == manifest)
    let row = try sealer(nonceFrom: 0x60)
      .seal(bytes, as: .manifest(of: .user), generation: 5).bytes
    #expect(
      row
        == hex(
          """
          00000000000000050101020304606162636465666768696a6b6c6d6e6f7071727374757677d0001234b17d
          4cfaec9ae5c83a322e87783212dff7eac8a7add350e40731a9c442d6c73e0be27ff3969065e10b3057c80f
          f8cec1b7e63f3154
          """
        )
    )
  }

  @Test func `a leaf's row is sealed with its index`() throws {
    let row = try sealer(nonceFrom: 0xA0)
      .seal(Manifest.encode(try leaf()), as: .leaf(9, of: .user), generation: 5)
    #expect(row.bytes == Self.leafRow)
    let opened = try #require(try sealer(nonceFrom: 0).open(row.bytes, as: .leaf(9, of: .user)))
    #expect(Manifest.decode(leaf: opened.plaintext) == (try leaf()))
  }

  @Test func `an inner page lists the tags of 64 leaves, zeros for those that have no row`() throws
  {
    var tags = [RowTag?](repeating: nil, count: 64)
    tags[9] = RowTag(ofRow: Self.leafRow)
    let bytes = Manifest.encode(innerPage: tags)
    #expect(bytes.count == 1024)
    let row = try sealer(nonceFrom: 0xC0)
      .seal(bytes, as: .innerPage(0, of: .user), generation: 5).bytes
    #expect(row.count == 1077)
    #expect(row.suffix(16) == hex("b0868c2fb0e6dd9b2ab9ce158ca66198")[...])
    #expect(Manifest.decode(innerPage: bytes) == tags)
  }

  @Test func `an anchor holds the counter, the seals, eight lists and the keyset`() throws {
    func tag(_ byte: UInt8) -> RowTag? { RowTag([UInt8](repeating: byte, count: 16)) }
    var anchor = Anchor(counter: 7, seals: 9, keyset: try #require(tag(0xAA)))
    for namespace in StoreNamespace.allCases where namespace != .session {
      anchor[namespace] = tag(namespace.rawValue)
    }
    let row = try sealer(nonceFrom: 0x80).seal(anchor.encoded(), as: .anchor, generation: 5).bytes
    #expect(
      row
        == hex(
          """
          00000000000000050101020304808182838485868788898a8b8c8d8e8f9091929394959697ac099f84f4a5
          a43095478ff790197493e8a8a2d7130075a5b75fcd9d322ab0ec420c5e5988e6ab87da5b2a82d4cdeca8a0
          cc6b0868ef77a2ae7555a6a753b38d6fbde9c532f70eb1e4cfd7df682b53cd760419887d18eeb8d17e047e
          a43b6d4302803787dd4cb7cb673d2268592430ea5fb92cffddec28d5743136b74faf546c9bbdd17f9aa00d
          e250c9e4bd6e3f4fcdf34e0e3cef6443ec45cccfb5df6f5a2782046e69ce2818732b653ea9f5a016ce8e
          """
        )
    )
    #expect(try Anchor(encoded: anchor.encoded()) == anchor)
    #expect(anchor[.session] == nil)
  }

  @Test func `a later version of a list or an anchor is a newer format`() async throws {
    var manifest = Manifest.empty.encoded()
    manifest[0] = 2
    await expect(.newerFormat) { try Manifest(encoded: manifest) }
    var anchor = Anchor(counter: 0, seals: 0, keyset: try #require(RowTag(Self.valueTag))).encoded()
    anchor[0] = 2
    await expect(.newerFormat) { try Anchor(encoded: anchor) }
  }
}
