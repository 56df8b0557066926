package import SessionModels

/// Where passwords and passphrases come from: never from an option's value, which other users
/// of the machine could read in the list of processes.
package enum PasswordInput {
  /// The flag that has the password read from standard input.
  package static let option = OptionSpec(
    "password-stdin",
    .flag,
    "read the password from standard input"
  )

  private static let longest = 1 << 16

  /// The password for login or registration.
  ///
  /// - Parameters:
  ///   - context: the command line, its input and its environment.
  ///   - isNew: whether it is asked for twice at the terminal.
  /// - Returns: the password, which the console conceals from now on.
  /// - Throws: ``ClientError`` of code `usage` where there is no way to get one.
  package static func password(
    _ context: CommandContext,
    isNew: Bool
  ) throws(ClientError) -> Secret {
    let secret: Secret
    if context.invocation.isOn(option.name) {
      var bytes = try context.input.standardInput(atMost: longest)
      if bytes.last == UInt8(ascii: "\n") {
        bytes.removeLast()
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
      }
      // Sent as JSON, it would be another one.
      guard String(validating: bytes, as: UTF8.self) != nil else {
        throw ClientError(.invalidInput, "The password is not valid UTF-8")
      }
      secret = Secret(bytes: bytes)
    } else if let text = context.environment["HEADLESS_CLIENT_PASSWORD"] {
      secret = Secret(text)
    } else if let typed = try typed("Password: ", isNew: isNew, context.input) {
      secret = typed
    } else {
      throw missing("the password", "with --password-stdin, or in HEADLESS_CLIENT_PASSWORD")
    }
    context.console.conceal([secret])
    return secret
  }

  /// A passphrase from a variable or the terminal; nil where there is neither.
  package static func passphrase(
    variable: String,
    prompt: String,
    isNew: Bool,
    environment: [String: String],
    input: any InputSource
  ) throws(ClientError) -> Secret? {
    if let text = environment[variable] { return Secret(text) }
    return try typed(prompt, isNew: isNew, input)
  }

  /// The error for a secret that was not given, and that nobody can be asked for.
  ///
  /// A store that stays locked for want of one is the vault's own error.
  ///
  /// - Parameters:
  ///   - name: what it is, as `the password`.
  ///   - ways: how to give it without a terminal.
  /// - Returns: an error of code `usage`, whichever secret it is.
  package static func missing(_ name: String, _ ways: String) -> ClientError {
    .usage(
      "\(name) is needed, and there is no terminal to ask for it at",
      advice: "Give it at a terminal, \(ways)"
    )
  }

  private static func typed(
    _ prompt: String,
    isNew: Bool,
    _ input: any InputSource
  ) throws(ClientError) -> Secret? {
    guard let first = try input.secret(prompt: prompt) else { return nil }
    guard isNew else { return first }
    guard try input.secret(prompt: "Once more: ") == first else {
      throw ClientError(.invalidInput, "The two are not the same")
    }
    return first
  }
}
