/// One option: what parsing, help and documentation say about it.
package struct OptionSpec: Sendable {
  /// The name without the dashes, as `base-url`.
  package let name: String
  /// What it takes.
  package let form: ValueForm
  /// Whether it may be given several times, all of them counting.
  package let repeats: Bool
  /// Whether the command does nothing without it.
  package let isRequired: Bool
  /// What it is for, in a few words.
  package let summary: String
  /// What holds where it is not given, in a few words.
  package let fallback: String?

  /// An option from its parts.
  package init(
    _ name: String,
    _ form: ValueForm,
    repeats: Bool = false,
    isRequired: Bool = false,
    _ summary: String,
    default fallback: String? = nil
  ) {
    self.name = name
    self.form = form
    self.repeats = repeats
    self.isRequired = isRequired
    self.summary = summary
    self.fallback = fallback
  }

  /// The environment variable that stands for a global option.
  package var environmentName: String {
    "HEADLESS_CLIENT_" + name.uppercased().replacing("-", with: "_")
  }

  /// How it is written in help, as `--base-url URL`.
  package var synopsis: String {
    guard let placeholder = form.placeholder else { return "--\(name)" }
    return "--\(name) \(placeholder)"
  }
}
