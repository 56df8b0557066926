/// One option of `dev-backend`: the parser, the environment and `--help` all read this.
struct BackendOption: Sendable {
  /// `--port`.
  let name: String
  /// What stands for its value in the help; nil for a flag.
  let value: String?
  /// What it does, one line of the help each.
  let help: [String]
  let apply: @Sendable (_ text: String, _ draft: inout OptionDraft) throws(OptionMisuse) -> Void

  init(
    _ name: String,
    _ value: String? = nil,
    _ help: String...,
    apply: @escaping @Sendable (String, inout OptionDraft) throws(OptionMisuse) -> Void
  ) {
    (self.name, self.value, self.help, self.apply) = (name, value, help, apply)
  }

  /// One that sets a single value.
  ///
  /// - Parameters:
  ///   - name: `--port`.
  ///   - value: what stands for its value in the help.
  ///   - help: what it does, one line of the help each.
  ///   - setting: what it sets.
  ///   - read: makes the value of the text.
  init<Setting>(
    _ name: String,
    _ value: String,
    _ help: String...,
    sets setting: any WritableKeyPath<BackendOptions, Setting> & Sendable,
    to read: @escaping OptionValue.Reader<Setting>
  ) {
    (self.name, self.value, self.help) = (name, value, help)
    apply = { text, draft throws(OptionMisuse) in draft.options[keyPath: setting] = try read(text) }
  }

  /// `DEV_BACKEND_PORT`: the same in the environment, where a flag is 1 or 0.
  var variable: String {
    "DEV_BACKEND_" + name.dropFirst(2).uppercased().replacing("-", with: "_")
  }

  /// Its lines in the help.
  var helpLines: [String] {
    let left = "  \(name)" + (value.map { " \($0)" } ?? "")
    let margin = String(repeating: " ", count: 26)
    guard left.count < margin.count else { return [left] + help.map { margin + $0 } }
    let padding = String(repeating: " ", count: margin.count - left.count)
    return [left + padding + (help.first ?? "")] + help.dropFirst().map { margin + $0 }
  }
}

/// A command line that cannot be taken, with what to do about it.
struct OptionMisuse: Error {
  let message: String
}

/// What the options said so far.
struct OptionDraft: Sendable {
  var options = BackendOptions()
  var certificate: String?
  var key: String?

  /// The options, where those that belong together were given together.
  func finished() throws(OptionMisuse) -> BackendOptions {
    var options = options
    switch (certificate, key) {
    case (nil, nil): break
    case (let certificate?, let key?):
      options.configuration.tls = .init(certificateFile: certificate, keyFile: key)
    default: throw OptionMisuse(message: "give --tls-cert and --tls-key together")
    }
    return options
  }
}
