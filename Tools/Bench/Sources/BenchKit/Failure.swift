/// Why nothing could be measured, in words.
package struct Failure: Error, CustomStringConvertible {
  /// What happened.
  package let description: String

  /// A failure from its words.
  package init(_ description: String) { self.description = description }
}
