import SessionModels
import Testing

@Suite struct DeviceIDTests {
  private struct Constant: RandomNumberGenerator {
    let value: UInt64
    func next() -> UInt64 { value }
  }

  @Test(arguments: [
    (UInt64.min, "00000000000000000000000000000000"),
    (.max, "ffffffffffffffffffffffffffffffff"),
    (0xAB, "00000000000000ab00000000000000ab"),
  ])
  func `a fresh id is 128 bits in hexadecimal, zeros included`(value: UInt64, text: String) {
    var generator = Constant(value: value)
    #expect(DeviceID.random(using: &generator).rawValue == text)
  }

  @Test func `two ids differ`() {
    let ids = (0..<100).map { _ in DeviceID.random() }
    #expect(Set(ids).count == 100)
  }

  @Test func `it is stored as its text`() throws {
    #expect(try encode([DeviceID.mobileApp]) == #"["mobile-app"]"#)
    #expect(try decode([DeviceID].self, #"["d"]"#) == [DeviceID(rawValue: "d")])
    #expect("\(DeviceID.mobileApp)" == "mobile-app")
  }
}
