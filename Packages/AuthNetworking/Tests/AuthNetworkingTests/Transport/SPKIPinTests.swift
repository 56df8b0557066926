import AuthNetworking
import Testing

@Suite struct SPKIPinTests {
  @Test func `a pin is 32 bytes in base64`() throws {
    let text = "sha256//AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="
    let pin = try #require(SPKIPin(text))
    #expect(pin.digest == Array(1...32))
    #expect(pin.text == text)
    #expect("\(pin)" == text)
  }

  @Test(
    arguments: [
      "", "sha256//", "sha256/AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=",
      "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=",
      "sha1//AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=",
      "sha256//AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA",
      "sha256//AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyB=",
      "sha256//AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eH-A=",
      "sha256//AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA= ",
      "sha256//AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0e;yA=",
      "sha256//AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHw==",
      "sha256//AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIg==",
      "sha256//====================================AAAAAAA=",
    ]
  )
  func `a malformed pin is none`(text: String) {
    #expect(SPKIPin(text) == nil)
  }
}
