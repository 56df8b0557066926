import Foundation
import Testing

/// The drawing of the machine in the documentation, held against the code.
struct StatesAndEventsTests {
  private static let page =
    "Sources/AuthNetworking/AuthNetworking.docc/StatesAndEvents.md"

  @Test(arguments: [
    ("SessionEvent", "Machine/SessionEvent.swift"), ("SessionEffect", "Machine/SessionEvent.swift"),
    ("FlightStep", "Machine/SessionEvent.swift"), ("Held", "Machine/SessionMachine.swift"),
    ("Stage", "Machine/SessionMachine.swift"),
  ])
  func `every case of the machine's types stands in the page`(type: String, file: String) throws {
    let source = try PackageText.read("Sources/AuthNetworking/Session/\(file)")
    let start = try #require(source.range(of: "enum \(type):"))
    let body = source[start.upperBound...].prefix { $0 != "}" }
    let lines = body.split(separator: "\n").map { $0.drop { $0 == " " } }
    let names = lines.filter { $0.hasPrefix("case ") }.flatMap { line in
      line.dropFirst(5).split(separator: "(").first?.split(separator: ",") ?? []
    }.map { String($0.drop { $0 == " " }) }
    let page = try PackageText.read(StatesAndEventsTests.page)

    #expect(names.count >= 3)
    for name in names { #expect(page.contains("`\(name)`"), "\(type).\(name)") }
  }

  @Test func `every reason to sign out stands in the drawing`() throws {
    let page = try PackageText.read(StatesAndEventsTests.page)
    for reason in [
      "never", "userRequested", "revoked", "reuseDetected", "refreshExpired",
      "interruptedRefresh", "keyLost", "tampered", "deviceMismatch",
    ] {
      #expect(page.contains(reason), "\(reason)")
    }
  }
}
