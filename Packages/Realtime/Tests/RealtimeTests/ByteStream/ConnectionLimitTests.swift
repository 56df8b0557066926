import Testing

@testable import ByteStream

/// How many connections an address may have.
@Suite struct ConnectionLimitTests {
  private static func network(_ address: [UInt8]) throws -> PeerNetwork {
    try #require(PeerNetwork(address: address))
  }

  private static func six(_ first: [UInt8], _ last: UInt8) -> [UInt8] {
    first + [UInt8](repeating: 0, count: 15 - first.count) + [last]
  }

  @Test func `an address is let in up to the limit, and again when one of its connections went`()
    throws
  {
    let limit = ConnectionLimit(perAddress: 2)
    let here = try Self.network([192, 0, 2, 1])
    var places = [limit.take(here), limit.take(here)].compactMap(\.self)
    #expect(places.count == 2)
    #expect(limit.take(here) == nil)
    #expect(limit.take(try Self.network([192, 0, 2, 2])) != nil)
    places.removeLast()
    #expect(limit.take(here) != nil)
  }

  @Test func `of IPv6 a network of 64 bits is one address, and IPv4 in its form is itself`() throws
  {
    let one = try Self.network(Self.six([0x20, 1, 0xD, 0xB8], 1))
    #expect(one == (try Self.network(Self.six([0x20, 1, 0xD, 0xB8], 2))))
    #expect(one != (try Self.network(Self.six([0x20, 1, 0xD, 0xB8, 0, 0, 0, 1], 1))))
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 1]
    #expect(try Self.network(mapped) == (try Self.network([192, 0, 2, 1])))
    #expect(PeerNetwork(address: []) == nil)
  }
}
