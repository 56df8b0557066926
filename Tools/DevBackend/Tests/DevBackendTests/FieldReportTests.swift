import Foundation
import Testing

@testable import DevBackend

/// FieldReports.md: each row's command does something, and each filter finds tests.
@Suite struct FieldReportTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let seen: String
    let words: [String]
    var testDescription: String { seen }
  }

  private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The rows of every table: what was seen, and the words of the command in the second column.
  static let rows: [Row] = {
    let page = try? String(
      contentsOf: package.appendingPathComponent("FieldReports.md"),
      encoding: .utf8
    )
    return (page ?? "").split(separator: "\n").compactMap { line in
      guard line.hasPrefix("| "), !line.hasPrefix("| seen"), !line.hasPrefix("| ---") else {
        return nil
      }
      // A bar within a cell is escaped.
      let cells = line.replacing("\\|", with: "\u{1}").split(separator: "|")
        .map { $0.replacing("\u{1}", with: "|").trimmingCharacters(in: .whitespaces) }
      let command = cells.dropFirst().first?.split(separator: "`").first.map(String.init) ?? ""
      return Row(seen: cells[0], words: words(of: command))
    }
  }()

  /// As a shell takes a command apart, as far as single quotes go.
  private static func words(of command: String) -> [String] {
    var words: [String] = []
    for (index, part) in command.split(separator: "'", omittingEmptySubsequences: false)
      .enumerated()
    {
      if index % 2 == 1 {
        words.append(String(part))
      } else {
        words += part.split(separator: " ").map(String.init)
      }
    }
    return words
  }

  @Test func `there is a row for each of the field's reports`() {
    #expect(Self.rows.count == 85)
    #expect(Set(Self.rows.map(\.seen)).count == Self.rows.count)
    for row in Self.rows { #expect(row.words.count > 1 || row.words == ["Tools/test"], "\(row)") }
  }

  @Test(arguments: rows.filter { $0.words.first?.hasPrefix("--") == true })
  func `the backend takes the command, and every fault in it happens`(row: Row) throws {
    let command = BackendCommand(arguments: ["--seed-demo-data"] + row.words)
    guard case .run(let options) = command else {
      Issue.record("\(command)")
      return
    }
    var plan = options.configuration.faults
    let immediate = plan.takeImmediate()
    #expect(immediate.count == plan.rules.count { !$0.waitsForRequest })
    for rule in plan.rules where rule.waitsForRequest {
      let path = rule.path.text.replacing("*", with: rule.path.text.hasPrefix("*") ? "/x" : "x")
      let request = FaultRequest(method: rule.method ?? "GET", path: path)
      #expect(!OperatorPath.contains(path))
      // Each rule has its turn, after those that stand before it.
      var alone = FaultPlan()
      try alone.add(FaultPlan(rule.text))
      let decisions = (0...rule.after).map { _ in alone.decide(request) }
      #expect(decisions.last?.names == [rule.action.name], "\(rule.text)")
    }
  }

  @Test func `every filter names suites that are there`() throws {
    let root = Self.package.deletingLastPathComponent().deletingLastPathComponent()
    var suites: Set<Substring> = []
    for folder in ["Packages", "Apps", "Tests"] {
      let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
      for case let file as String in files ?? .init() where file.hasSuffix("Tests.swift") {
        guard !file.contains(".build/"), let name = file.split(separator: "/").last else {
          continue
        }
        suites.insert(name.dropLast(6))
      }
    }
    let filters = Self.rows.filter { $0.words.first == "Tools/test" && $0.words.count == 3 }
    #expect(filters.count > 30)
    for row in filters {
      #expect(row.words[1] == "--filter")
      for suite in row.words[2].split(separator: "|") {
        #expect(suites.contains(suite), "\(row.seen): \(suite)")
      }
    }
  }
}
