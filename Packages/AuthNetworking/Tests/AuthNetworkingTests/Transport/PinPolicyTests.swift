import AuthNetworking
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct PinPolicyTests {
  private static func key(_ number: UInt8) -> SPKIPin? {
    SPKIPin(digest: [UInt8](repeating: number, count: 32))
  }

  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private static func policy(_ pins: [(UInt8, Double?)], _ mode: PinPolicy.Mode) -> PinPolicy {
    PinPolicy(
      pins.compactMap { number, seconds in
        key(number).map { PinPolicy.Pin($0, expires: seconds.map { now + $0 }) }
      },
      mode: mode
    )
  }

  @Test(
    arguments: [
      // No pins, one that never expires, one of several.
      ([], .accepted), ([(1, nil)], .accepted), ([(2, nil)], .refused),
      ([(2, nil), (1, nil)], .accepted), ([(2, nil), (3, nil)], .refused),
      // Dates: a pin counts up to its second, and an old key does not while another pin counts.
      ([(1, 1)], .accepted), ([(1, 0)], .accepted), ([(2, 1)], .refused), ([(2, 0)], .accepted),
      ([(1, -1), (2, 1)], .refused), ([(1, 1), (2, -1)], .accepted),
      // All have expired: nothing is enforced.
      ([(2, -1), (3, -1)], .accepted), ([(2, -1), (3, 0)], .accepted),
    ] as [([(UInt8, Double?)], PinPolicy.Verdict)]
  )
  func `a server's key, by the pins and their dates`(
    pins: [(UInt8, Double?)],
    verdict: PinPolicy.Verdict
  ) throws {
    let key = try #require(PinPolicyTests.key(1))
    let enforced = PinPolicyTests.policy(pins, .enforced)
    #expect(enforced.verdict(on: key, at: PinPolicyTests.now) == verdict)
    let reported = PinPolicyTests.policy(pins, .reportOnly)
    #expect(
      reported.verdict(on: key, at: PinPolicyTests.now)
        == (verdict == .refused ? .reported : .accepted)
    )
    #expect(!reported.isEnforced(at: PinPolicyTests.now))
  }

  @Test func `a pin's digest and its text are one`() throws {
    let digest = (0..<32).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
    let pin = try #require(SPKIPin(digest: digest))
    #expect(SPKIPin(pin.text) == pin)
    #expect(SPKIPin(digest: [1]) == nil)
  }
}
