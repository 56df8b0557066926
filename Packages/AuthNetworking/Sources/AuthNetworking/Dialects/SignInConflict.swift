internal import SessionModels

/// Which input a 409 is about, when the answer does not say it by a field.
enum SignInConflict {
  /// The field that the text mentions, else both that can be taken.
  static func fields(in text: String) -> [InputField] {
    let text = text.lowercased()
    let mentioned: [(InputField, Bool)] = [
      (.email, text.contains("email") || text.contains("e-mail")),
      (.username, text.contains("username") || text.contains("user name")),
    ]
    let fields = mentioned.filter(\.1).map(\.0)
    return fields.isEmpty ? [.email, .username] : fields
  }
}
