/// Profiles' names on the command line.
enum ProfileInput {
  /// The profile that an operand names.
  ///
  /// - Throws: ``ClientError`` of code `usage` for what is no name.
  static func name(_ text: String?, _ operand: String) throws(ClientError) -> ProfileName {
    guard let name = ProfileName(text ?? "") else {
      throw .usage(
        "\(operand) must be 1 to 64 letters, digits, dots, dashes or underscores, beginning with a "
          + "letter or digit"
      )
    }
    return name
  }
}
