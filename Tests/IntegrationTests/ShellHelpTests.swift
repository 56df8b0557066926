import Foundation
import Testing

/// Completion in the real shells, and the manual page in the real formatter.
@Suite struct ShellHelpTests {
  /// Runs a program that finds `headless-client` on its path.
  private func run(_ words: String..., input: String = "", home: String) async throws -> Outcome {
    let folder = Executable.headlessClient.url.deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return try await RunningProcess(
      URL(filePath: "/usr/bin/env"),
      words,
      environment: [
        "PATH": "\(folder):\(path)", "HEADLESS_CLIENT_HOME": home, "HOME": home, "TERM": "xterm",
        "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home,
      ],
      input: input
    ).outcome()
  }

  private func homeWithProfiles() async throws -> ClientHome {
    let home = try ClientHome()
    for profile in ["work", "weekend"] {
      _ = try await home.run("store", "set", "a", "1", "--profile", profile)
    }
    return home
  }

  /// Puts a line before readline's rules as bash's own machinery does, `=` and `:` cut off.
  private static let bash = #"""
    set -u
    source <(headless-client completion bash)
    complete -p headless-client
    try() {
      COMP_WORDS=(headless-client "$@") COMP_CWORD=$# COMPREPLY=()
      _headless_client
      echo "[${COMPREPLY[*]}]"
    }
    try sto
    try store re
    try --vault = fi
    try --vault =
    try --base-url http : //127.0.0.1 : 3001 --profile we
    try --ca-file = /etc/passw
    try --home /et
    try messages send general ''
    """#

  @Test func `bash completes commands, options, values, profiles and paths`() async throws {
    let home = try await homeWithProfiles()
    let outcome = try await run("bash", "--norc", "-c", Self.bash, home: home.path)
    #expect(outcome.status == 0, "\(outcome.everything)")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 9, "\(outcome.everything)")
    #expect(lines[0] == "complete -F _headless_client headless-client")
    #expect(lines[1] == "[store]")
    #expect(lines[2] == "[remove repair rekey reset]")
    #expect(lines[3] == "[file]")
    #expect(lines[4].hasPrefix("[auto ") && lines[4].contains(" file"))
    #expect(lines[5] == "[weekend]")
    #expect(lines[6].contains("/etc/passwd"))
    #expect(lines[7] == "[/etc]")
    #expect(lines[8] == "[]")
  }

  /// An interactive zsh behind a terminal of its own; each read waits for what it wants to see.
  private static let zsh = #"""
    zmodload zsh/zpty
    zpty z zsh -f -i
    zpty -w z 'show() { print -r -- "<$BUFFER>"; BUFFER= }; zle -N show; bindkey "^P" show'
    zpty -w z 'autoload -U compinit; compinit -u -D'
    zpty -w z 'source <(headless-client completion zsh)'
    # Typed before the line editor runs, a control-U would be the terminal's own.
    zpty -w z 'zle-line-init() { print -n READ""Y }; zle -N zle-line-init'
    zpty -r z seen '*READY*'
    try() {
      zpty -w -n z "headless-client $1"$'\t'"$2"
      zpty -r z seen "*$3*"
      print -r -- "$seen"
    }
    try 'store re' $'\x15' 'rekey*reset'
    try 'store repa' $'\x10' '<headless-client store repair >'
    try '--vault=fi' $'\x10' '<headless-client --vault=file >'
    try '--profile we' $'\x10' '<headless-client --profile weekend >'
    try '--ca-file=/etc/passw' $'\x10' '<headless-client --ca-file=/etc/passwd*>'
    try 'help messages sen' $'\x10' '<headless-client help messages send >'
    print done
    """#

  @Test func `zsh completes them at its prompt, with what each is for`() async throws {
    let home = try await homeWithProfiles()
    let outcome = try await run(
      "timeout",
      "-s",
      "KILL",
      "120",
      "zsh",
      "-f",
      "-c",
      Self.zsh,
      home: home.path
    )
    #expect(outcome.status == 0, "\(outcome.everything)")
    #expect(outcome.output.hasSuffix("done\n"))
    #expect(outcome.output.contains("-- seal everything with a new key"))
  }

  private static let fish = #"""
    headless-client completion fish | source
    for line in 'sto' 'store re' '--vault=fi' '--profile we' '--ca-file=/etc/passw' '--home /et' \
        'help messages s'
      complete -C "headless-client $line"
      echo =====
    end
    """#

  @Test func `fish completes them, with what each is for`() async throws {
    let home = try await homeWithProfiles()
    let outcome = try await run("fish", "--no-config", "-c", Self.fish, home: home.path)
    #expect(outcome.status == 0, "\(outcome.everything)")
    let parts = outcome.output.components(separatedBy: "=====\n")
    try #require(parts.count == 8, "\(outcome.everything)")
    #expect(parts[0].hasPrefix("store\t"))
    #expect(parts[1].contains("rekey\tseal everything with a new key"))
    #expect(parts[2] == "--vault=file\n")
    #expect(parts[3] == "weekend\n")
    #expect(parts[4].contains("--ca-file=/etc/passwd"))
    #expect(parts[5].contains("/etc/"))
    #expect(parts[6].hasPrefix("send\t"))
  }

  @Test func `the manual page is formatted without a warning, and holds the commands`()
    async throws
  {
    let home = try ClientHome()
    let page = try await Executable.headlessClient.run(["help", "--man"])
    let outcome = try await run(
      "groff",
      "-man",
      "-ww",
      "-Tutf8",
      "-P-cbou",
      input: page.output,
      home: home.path
    )
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    for word in ["store rekey", "EXIT STATUS", "--realtime-url URL"] {
      #expect(outcome.output.contains(word), "\(word)")
    }
  }
}
