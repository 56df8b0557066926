import Synchronization
import Testing

@testable import AuthNetworking

@Suite struct SessionRandomnessTests {
  @Test(
    arguments: [
      (0, 0, "00000000-0000-4000-8000-000000000000"),
      (UInt64.max, UInt64.max, "ffffffff-ffff-4fff-bfff-ffffffffffff"),
      (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, "01234567-89ab-4def-bedc-ba9876543210"),
    ] as [(UInt64, UInt64, String)]
  )
  func `a UUID is of version 4, in lower case, and random everywhere else`(
    high: UInt64,
    low: UInt64,
    text: String
  ) {
    let draws = Mutex([high, low])
    let randomness = SessionRandomness { draws.withLock { $0.removeFirst() } }
    #expect(randomness.uuid() == text)
  }
}
