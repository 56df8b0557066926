import SessionModels
import Testing

@Suite struct SignOutReasonTests {
  @Test(arguments: [
    (SignOutReason.never, "never"), (.userRequested, "userRequested"), (.revoked, "revoked"),
    (.reuseDetected, "reuseDetected"), (.refreshExpired, "refreshExpired"),
    (.interruptedRefresh, "interruptedRefresh"), (.keyLost, "keyLost"), (.tampered, "tampered"),
    (.deviceMismatch, "deviceMismatch"),
  ])
  func `the names are those of the contract`(reason: SignOutReason, text: String) throws {
    #expect("\(reason)" == text)
    #expect(try encode([reason]) == "[\"\(text)\"]")
  }

  @Test func `a reason that this build does not know is kept`() throws {
    let reason = try decode([SignOutReason].self, #"["newer"]"#)
    #expect(reason == [SignOutReason(rawValue: "newer")])
    #expect(try encode(reason) == #"["newer"]"#)
  }
}
