import Foundation
import Testing

@testable import DevBackend

/// The examples of Deployment say what the program understands.
@Suite struct DeploymentTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Deployment")

  private func lines(_ name: String) throws -> [Substring] {
    try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
      .split(separator: "\n")
  }

  @Test(arguments: ["dev-backend.service", "dev-backend.env", "compose.yaml", "Containerfile"])
  func `every variable is an option's`(name: String) throws {
    let known = Set(OptionTable.all.map(\.variable))
    let used = try lines(name).flatMap { line in
      line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        .filter { $0.hasPrefix("DEV_BACKEND_") }.map(String.init)
    }
    #expect(!used.isEmpty)
    #expect(Set(used).subtracting(known) == [])
  }

  @Test func `the unit's command line and settings are taken`() throws {
    let unit = try lines("dev-backend.service")
    let start = try #require(unit.first { $0.hasPrefix("ExecStart=") })
    let arguments = start.split(separator: " ").dropFirst().map(String.init)
    let settings =
      try unit.filter { $0.hasPrefix("Environment=") }.map { $0.dropFirst(12) }
      + lines("dev-backend.env").filter { !$0.hasPrefix("#") }
    var environment: [String: String] = [:]
    for setting in settings {
      let sides = setting.split(separator: "=", maxSplits: 1).map(String.init)
      environment[sides[0]] = sides[1]
    }
    #expect(environment.count > 6)
    let command = BackendCommand(arguments: arguments, environment: environment)
    guard case .run(let options) = command else {
      Issue.record("\(command)")
      return
    }
    #expect(options.configuration.database == "/var/lib/dev-backend/backend.db")
    #expect(options.configuration.adminTokenFile == "/var/lib/dev-backend/admin.token")
    #expect(options.logFormat == .json)
    let limit = try #require(unit.first { $0.hasPrefix("TimeoutStopSec=") }?.dropFirst(15))
    #expect(options.drainLimit < .seconds(try #require(Int(limit))))
  }
}
