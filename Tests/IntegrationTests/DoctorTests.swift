import Foundation
import Testing

/// What `doctor` advises, followed to the letter, mends what it found: each trouble is made real.
@Suite struct DoctorTests {
  @Test(arguments: ["ca-file", "pin"])
  func `a server that cannot be trusted: the right roots, the right pin`(option: String)
    async throws
  {
    let authority = try await TestAuthority.make()
    let backend = try await RunningBackend.start(
      "--tls-cert",
      authority.certificate,
      "--tls-key",
      authority.key
    )
    let home = try ClientHome()
    var patient = Patient(home: home)
    patient.environment = [
      "HEADLESS_CLIENT_BASE_URL": "https://localhost:\(backend.port)",
      "HEADLESS_CLIENT_REALTIME_URL": "https://localhost:\(backend.realtimePort)",
      "HEADLESS_CLIENT_CA_FILE": option == "pin" ? authority.roots : authority.otherRoots,
    ]
    if option == "pin" {
      patient.environment["HEADLESS_CLIENT_PIN"] =
        "sha256//" + Data(repeating: 7, count: 32).base64EncodedString()
    }

    let before = try await patient.examined()
    #expect(before.status == 75, "\(before.everything)")
    #expect(patient.failures(in: before) == ["backend", "tls", "realtime"])
    for check in ["tls", "realtime"] {
      let command = try patient.advice(on: check, in: before)
      let followed =
        option == "pin"
        ? command.replacing("BASE64", with: authority.pin)
        : command.replacing("=FILE", with: "=\(authority.roots)")
      #expect(followed != command)
      let after = try await patient.examined(after: followed)
      #expect(patient.failures(in: after) == [], "\(after.everything)")
    }
    await backend.stop()
  }

  @Test func `a clock that is off: it is set`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // No test may set the machine's clock: the command is one of the test's own, and the backend's
    // clock agrees once it was called as it would have to be.
    let marker = folder.appending(path: "called").path
    let tool = folder.appending(path: "timedatectl")
    try "#!/bin/sh\n[ \"$*\" = 'set-ntp true' ] && : > '\(marker)'\n"
      .write(to: tool, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool.path)
    let backend = try ScriptedBackend { _ in
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.timeZone = TimeZone(identifier: "GMT")
      format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      let isSet = FileManager.default.fileExists(atPath: marker)
      let date = format.string(from: Date(timeIntervalSinceNow: isSet ? 0 : -3600))
      return .answer(status: 404, headers: ["Date": date], body: Data("{}".utf8))
    }
    defer { backend.stop() }
    let home = try ClientHome()
    var patient = Patient(home: home)
    patient.environment = ["HEADLESS_CLIENT_BASE_URL": backend.url, "PATH": folder.path]

    let before = try await patient.examined()
    #expect(patient.failures(in: before) == ["clock"], "\(before.everything)")
    #expect(patient.line(on: "clock", in: before)?.string("detail")?.contains("ahead of") == true)
    let after = try await patient.examined(after: patient.advice(on: "clock", in: before))
    #expect(patient.failures(in: after) == [], "\(after.everything)")
  }

  @Test(arguments: [nil, "not the passphrase"])
  func `a vault that is locked: the passphrase is asked for`(given: String?) async throws {
    let home = try ClientHome()
    var patient = Patient(home: home)
    patient.environment["HEADLESS_CLIENT_VAULT"] = "passphrase"
    patient.environment["HEADLESS_CLIENT_PASSPHRASE"] = "correct horse"
    #expect(
      try await home.run("store", "set", "k", "v", environment: patient.environment).status == 0
    )
    patient.environment["HEADLESS_CLIENT_PASSPHRASE"] = given

    let before = try await patient.examined()
    #expect(before.status == 74, "\(before.everything)")
    #expect(patient.failures(in: before) == ["vault"])
    #expect(patient.skipped(in: before).isSuperset(of: ["store", "session"]))
    let after = try await patient.examined(
      after: patient.advice(on: "vault", in: before),
      input: "correct horse\n"
    )
    #expect(patient.failures(in: after) == [], "\(after.everything)")
    #expect(!patient.skipped(in: after).contains("store"))
  }

  @Test func `a vault that is not the store's: the option is taken back`() async throws {
    let home = try ClientHome()
    var patient = Patient(home: home)
    #expect(try await home.run("store", "set", "k", "v").status == 0)
    patient.environment["HEADLESS_CLIENT_VAULT"] = "passphrase"
    let before = try await patient.examined()
    #expect(patient.failures(in: before) == ["vault"], "\(before.everything)")
    let after = try await patient.examined(after: patient.advice(on: "vault", in: before))
    #expect(patient.failures(in: after) == [], "\(after.everything)")
  }

  @Test(arguments: [("", 0o777), ("profiles/default/settings.json", 0o644)])
  func `modes that are too wide: they are taken back`(file: String, mode: Int) async throws {
    let backend = try RotatingBackend().listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    let patient = Patient(home: home)
    #expect(try await home.login().status == 0)
    let path = "\(home.path)/\(file)"
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)

    let before = try await patient.examined()
    #expect(before.status == 74, "\(before.everything)")
    #expect(patient.failures(in: before).contains("permissions"))
    let after = try await patient.examined(after: patient.advice(on: "permissions", in: before))
    #expect(patient.failures(in: after) == [], "\(after.everything)")
    let now = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(now.map { $0 & 0o077 } == 0)
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "only root may mount a small disk"))
  func `a disk that is full: the home moves to another`() async throws {
    let disk = try SmallDisk()
    let home = try ClientHome(in: disk.path)
    let patient = Patient(home: home)
    #expect(try await home.run("store", "set", "k", "v").status == 0)
    disk.fill()

    let before = try await patient.examined()
    #expect(before.status == 74, "\(before.everything)")
    #expect(patient.failures(in: before) == ["disk"])
    let target = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: target) }
    let command = try patient.advice(on: "disk", in: before).replacing("DIR", with: target)
    let after = try await patient.examined(after: command)
    #expect(patient.failures(in: after) == [], "\(after.everything)")
    let value = try await home.run(
      "store",
      "get",
      "k",
      environment: ["HEADLESS_CLIENT_HOME": target]
    )
    #expect(value.line?.string("value") == "v", "\(value.everything)")
  }

  @Test func `files that may not grow: the limit is raised`() async throws {
    let home = try ClientHome()
    let patient = Patient(home: home)
    #expect(try await home.run("store", "set", "k", "v").status == 0)

    let before = try await patient.examined(after: "ulimit -S -f 1")
    #expect(before.status == 74, "\(before.everything)")
    #expect(patient.failures(in: before).first == "disk")
    let command = try patient.advice(on: "disk", in: before)
    let after = try await patient.examined(after: "ulimit -S -f 1\n\(command)")
    #expect(patient.failures(in: after) == [], "\(after.everything)")
  }

  @Test func `a backend that is down: it is started`() async throws {
    let backend = try await RunningBackend.start("--seed-demo-data")
    let home = try ClientHome(backend: backend.url)
    let patient = Patient(home: home)
    let login = try await home.run(
      "login",
      "ada@example.com",
      "--base-url",
      backend.url,
      "--realtime-url",
      backend.realtimeURL,
      environment: ["HEADLESS_CLIENT_PASSWORD": "Lovelace1"]
    )
    #expect(login.status == 0, "\(login.everything)")
    #expect(patient.failures(in: try await patient.examined()) == [])
    await backend.stop()

    let before = try await patient.examined()
    #expect(before.status == 75, "\(before.everything)")
    #expect(patient.failures(in: before) == ["backend", "realtime"])
    #expect(patient.skipped(in: before) == ["tls", "clock", "token"])
    // It says on its first line that it listens; the number on the other one is to end it by.
    let started = try home.shell("\(patient.advice(on: "backend", in: before))\necho $!\nwait")
    let lines = await started.waitForLines(2)
    let after = try await patient.examined()
    // As the advice has it, a new backend does not know this session: the next advice is to sign in.
    #expect(patient.failures(in: after) == ["token"], "\(after.everything)")
    #expect(after.status == 77)
    #expect(try patient.advice(on: "token", in: after).hasPrefix("headless-client login "))
    for pid in lines.compactMap({ pid_t($0) }) { kill(pid, SIGTERM) }
    _ = await started.outcome()
  }

  @Test func `a backend that was named by mistake: the option is taken back`() async throws {
    let backend = try RotatingBackend().listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    var patient = Patient(home: home)
    patient.environment["HEADLESS_CLIENT_BASE_URL"] = "http://127.0.0.1:1"
    let before = try await patient.examined()
    #expect(patient.failures(in: before) == ["backend"], "\(before.everything)")
    let after = try await patient.examined(after: patient.advice(on: "backend", in: before))
    #expect(patient.failures(in: after) == [], "\(after.everything)")
  }

  @Test func `a realtime port that is closed: signed in again, with the right one`() async throws {
    let backend = try await RunningBackend.start("--seed-demo-data")
    let home = try ClientHome(backend: backend.url)
    var patient = Patient(home: home)
    patient.environment["HEADLESS_CLIENT_PASSWORD"] = "Lovelace1"
    let login = try await home.run(
      "login",
      "ada@example.com",
      "--base-url",
      backend.url,
      "--realtime-url",
      "http://127.0.0.1:1",
      environment: patient.environment
    )
    #expect(login.status == 0, "\(login.everything)")

    let before = try await patient.examined()
    #expect(before.status == 75, "\(before.everything)")
    #expect(patient.failures(in: before) == ["realtime"])
    let command = try patient.advice(on: "realtime", in: before)
      .replacing("IDENTIFIER", with: "ada@example.com")
      .replacing("URL", with: backend.realtimeURL)
    let after = try await patient.examined(after: "\(command) >/dev/null")
    #expect(patient.failures(in: after) == [], "\(after.everything)")
    await backend.stop()
  }

  @Test func `signed out: it says why in words, and how to sign in`() async throws {
    let backend = try RotatingBackend().listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    #expect(try await home.run("logout").status == 0)
    let patient = Patient(home: home)

    let before = try await patient.examined()
    #expect(before.status == 0, "\(before.everything)")
    let detail = patient.line(on: "session", in: before)?.string("detail")
    #expect(detail == "signed out: the user signed out")
    let command = try patient.advice(on: "session", in: before)
      .replacing("IDENTIFIER", with: "user@example.com")
    let after = try await patient.examined(after: "\(command) >/dev/null")
    let now = patient.line(on: "session", in: after)?.string("detail")
    #expect(now?.hasPrefix("signed in") == true, "\(after.everything)")
  }
}

/// A home that is examined, before and after its doctor's advice was followed in a shell.
private struct Patient {
  let home: ClientHome
  var environment: [String: String] = [:]

  func examined(after command: String = "", input: String = "") async throws -> Outcome {
    try await home.shell(
      "\(command)\nheadless-client --json doctor",
      // The doctor's own patience is that of a person, and short for a machine that is busy.
      environment: environment.merging(["HEADLESS_CLIENT_TIMEOUT": "100"]) { $1 },
      input: input
    ).outcome()
  }

  func line(on check: String, in outcome: Outcome) -> JSONObject? {
    outcome.lines.first { $0.string("check") == check }
  }

  func failures(in outcome: Outcome) -> [String] {
    outcome.lines.filter { $0.bool("ok") == false }.compactMap { $0.string("check") }
  }

  func skipped(in outcome: Outcome) -> Set<String> {
    Set(outcome.lines.filter { $0.bool("skipped") == true }.compactMap { $0.string("check") })
  }

  /// The command that ends the advice.
  func advice(on check: String, in outcome: Outcome) throws -> String {
    let found = try #require(self.line(on: check, in: outcome), "\(outcome.everything)")
    let advice = try #require(found.string("advice"), "\(outcome.everything)")
    let command = try #require(found.string("run"), "\(outcome.everything)")
    #expect(advice.hasSuffix("Run: \(command)"))
    return command
  }
}
