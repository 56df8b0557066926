import Testing

@testable import HeadlessClient

struct ArgumentParserTests {
  private let commands = [
    CommandSpec("status", summary: "s"),
    CommandSpec(
      "request",
      operands: ["METHOD", "PATH"],
      options: [
        OptionSpec("header", .text("'K: V'"), repeats: true, "h"),
        OptionSpec("repeat", .integer("N", 1...1000), "r"),
        OptionSpec("reveal", .flag, "r"),
      ],
      summary: "s"
    ),
    CommandSpec("store get", operands: ["KEY"], summary: "s"),
    CommandSpec("store set", operands: ["KEY"], optionalOperands: ["VALUE"], summary: "s"),
  ]

  private func parse(
    _ line: String...,
    environment: [String: String] = [:]
  ) throws -> Invocation {
    try ArgumentParser(commands: commands, globals: GlobalOptions.all)
      .parse(line, environment: environment)
  }

  private func error(_ line: [String], environment: [String: String] = [:]) -> String? {
    do {
      _ = try ArgumentParser(commands: commands, globals: GlobalOptions.all)
        .parse(line, environment: environment)
      return nil
    } catch {
      #expect(error.exitStatus == .usage)
      return error.description
    }
  }

  @Test func `Global options stand before or after the command`() throws {
    for invocation in [
      try parse("--profile", "a", "--json", "status"), try parse("status", "--profile=a", "--json"),
      try parse("--json", "status", "--profile", "a"),
    ] {
      #expect(invocation.command?.name == "status")
      #expect(invocation.value("profile") == "a")
      #expect(invocation.isOn("json"))
    }
  }

  @Test func `An option wins over its environment variable`() throws {
    let environment = ["HEADLESS_CLIENT_BASE_URL": "http://b", "HEADLESS_CLIENT_JSON": "1"]
    #expect(try parse("status", environment: environment).value("base-url") == "http://b")
    #expect(try parse("status", environment: environment).isOn("json"))
    let both = try parse("status", "--base-url", "http://a", environment: environment)
    #expect(both.all("base-url") == ["http://a"])
  }

  @Test func `A flag's variable can say no`() throws {
    #expect(try !parse("status", environment: ["HEADLESS_CLIENT_JSON": "0"]).isOn("json"))
    #expect(try !parse("status", environment: ["HEADLESS_CLIENT_JSON": ""]).isOn("json"))
    #expect(error(["status"], environment: ["HEADLESS_CLIENT_JSON": "perhaps"]) != nil)
  }

  @Test func `A repeatable option's variable holds a list`() throws {
    let environment = ["HEADLESS_CLIENT_PIN": "sha256//a, sha256//b"]
    #expect(
      try parse("status", environment: environment).all("pin") == ["sha256//a", "sha256//b"]
    )
  }

  @Test func `Repeatable options keep their order, of others the last counts`() throws {
    let invocation = try parse(
      "request",
      "GET",
      "/x",
      "--header",
      "A: 1",
      "--header=B: 2",
      "--repeat",
      "3",
      "--repeat=4"
    )
    #expect(invocation.all("header") == ["A: 1", "B: 2"])
    #expect(invocation.integer("repeat") == 4)
    #expect(invocation.operands == ["GET", "/x"])
  }

  @Test func `Two dashes end the options, one is an operand`() throws {
    #expect(try parse("store", "set", "k", "-").operands == ["k", "-"])
    #expect(try parse("store", "set", "--", "--key", "--json").operands == ["--key", "--json"])
  }

  @Test func `Help is given whatever else is missing`() throws {
    #expect(try parse("request", "--help").wantsHelp)
    #expect(try parse("store", "--help").group == "store")
    #expect(try parse("-h").wantsHelp)
    #expect(try parse("--version").wantsVersion)
  }

  @Test(arguments: [
    (["stauts"], "Did you mean status?"), (["store", "gte", "k"], "Did you mean store get?"),
    (["status", "--profle", "x"], "Did you mean --profile?"),
    (["request", "GET", "/", "--headr", "A: 1"], "Did you mean --header?"),
    (["--header", "A: 1", "request", "GET", "/"], "goes after that word"),
    (["frobnicate"], "--help"), ([], "no command given"), (["store"], "needs one of: get, set"),
    (["request", "GET"], "needs PATH"), (["status", "x"], "does not take “x”"),
    (["request", "GET", "/", "--repeat", "0"], "from 1 to 1000"),
    (["request", "GET", "/", "--repeat", "1e3"], "from 1 to 1000"),
    (["status", "--timeout", "0"], "seconds above 0"),
    (["status", "--timeout", "nan"], "seconds above 0"),
    (["status", "--timeout", "1e400"], "seconds above 0"),
    (["status", "--dialect", "ksm"], "did you mean ksn?"), (["status", "--profile"], "its value"),
    (["status", "--profile", "--json"], "its value"), (["status", "--json=1"], "takes no value"),
    (["status", "--vault", "keychain"], "not in this build"),
    (["status", "--vault", "shoebox"], "must be one of"), (["status", "-x"], "unknown option"),
  ]) func `What cannot be used is refused with a hint`(line: [String], hint: String) {
    #expect(error(line)?.contains(hint) == true)
  }

  @Test func `An error never quotes an option's value`() {
    #expect(error(["status", "--passwrod=hunter2hunter2"])?.contains("hunter2") == false)
    #expect(error(["status", "--dialect", "hunter2hunter2"])?.contains("hunter2") == false)
  }

  @Test(arguments: [
    ("send", "messages send"), ("watch", "messages watch"), ("chat", "messages watch"),
    ("signin", "login"), ("sign-out", "logout"), ("signup", "register"),
    ("passphrase", "store passphrase"), ("get", "store get"),
    ("list", "sessions list or messages list or outbox list"),
  ])
  func `The half of a name, and another name, lead to the command`(
    typed: String,
    meant: String
  ) async {
    let streams = MemoryStreams()
    #expect(await streams.run([typed, "x"]) == .usage)
    #expect(streams.messages.contains("Did you mean \(meant)"), "\(streams.messages)")
  }

  @Test func `What is not one word for the shell is told to be put in quotes`() async {
    let streams = MemoryStreams()
    #expect(await streams.run(["messages", "send", "general", "good", "morning"]) == .usage)
    #expect(streams.messages.contains("quotes"))
  }
}
