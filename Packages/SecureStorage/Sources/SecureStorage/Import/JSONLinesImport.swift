public import SessionModels

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Lines of JSON as a source: `{"key": …, "value": …}` or, for bytes that are no text,
/// `{"key": …, "base64": …}`.
///
/// Blank lines and other members are passed over. There is nothing to delete afterwards.
public struct JSONLinesImport: ImportSource {
  private struct Line: Decodable {
    var key: String
    var value: String?
    var base64: String?
  }

  private let names: [KeyName]
  private let values: [KeyName: Secret]

  /// Reads lines.
  ///
  /// - Parameter lines: UTF-8.
  /// - Throws: `invalidInput` for a line of another form, a key or value beyond the limits, and a
  ///   key that stands there twice with different values.
  public init(_ lines: some Collection<UInt8>) throws(StorageError) {
    var names: [KeyName] = []
    var values: [KeyName: Secret] = [:]
    let newline = UInt8(ascii: "\n")
    for (index, line) in lines.split(separator: newline, omittingEmptySubsequences: false)
      .enumerated() where line.contains(where: { !" \t\r".utf8.contains($0) })
    {
      let (key, value) = try JSONLinesImport.entry(Data(line), number: index + 1)
      let name = try JSONLinesImport.checked(key, value, number: index + 1)
      guard let known = values[name] else {
        names.append(name)
        values[name] = value
        continue
      }
      guard known == value else {
        throw JSONLinesImport.fault(index + 1, "has a key that stands there before, differently")
      }
    }
    self.names = names
    self.values = values
  }

  /// Nil.
  public var sessionStore: SecureStore? { nil }

  /// The keys, in the order of the lines.
  ///
  /// - Returns: The entries.
  /// - Throws: Nothing.
  public func entries() async throws(StorageError) -> [ImportEntry] {
    names.map { ImportEntry(key: $0.text) }
  }

  /// The value of a key.
  ///
  /// - Parameter entry: Which.
  /// - Returns: The value.
  /// - Throws: Nothing.
  public func value(of entry: ImportEntry) async throws(StorageError) -> Secret? {
    values[KeyName(unchecked: entry.key)]
  }

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - entries: Which.
  ///   - isKept: Is not asked.
  /// - Returns: True.
  /// - Throws: Nothing.
  public func remove(
    _ entries: [ImportEntry],
    where isKept: @escaping @Sendable (ImportEntry, Secret) throws(StorageError) -> Bool
  ) async throws(StorageError) -> Bool { true }

  private static func entry(
    _ text: Data,
    number: Int
  ) throws(StorageError) -> (key: String, value: Secret) {
    let line: Line
    do {
      line = try JSONDecoder().decode(Line.self, from: text)
    } catch {
      throw fault(number, what(is: error))
    }
    // A decoder would take one of them and say nothing.
    if let doubled = MemberNames.doubled(in: text) { throw fault(number, "has \(doubled) twice") }
    switch (line.value, line.base64) {
    case (let text?, nil): return (line.key, Secret(text))
    case (nil, let base64?):
      guard var bytes = Data(base64Encoded: base64) else {
        throw fault(number, "has a base64 that is none")
      }
      defer { bytes.resetBytes(in: 0..<bytes.count) }
      return (line.key, Secret(bytes: bytes))
    case (nil, nil): throw fault(number, "has neither value nor base64")
    default: throw fault(number, "has both value and base64")
    }
  }

  /// What a decoder found wrong; its own words name types of Swift.
  private static func what(is error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let member, _)?: "has no \(member.stringValue)"
    case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?:
      context.codingPath.first.map { "has a \($0.stringValue) that is no text" } ?? "is no object"
    default: "is no JSON"
    }
  }

  /// The name of an entry that keeps to the limits.
  private static func checked(
    _ key: String,
    _ value: Secret,
    number: Int
  ) throws(StorageError) -> KeyName {
    guard value.count <= StoreLimits.valueBytes else {
      throw fault(
        number,
        "has a value of \(value.count) bytes, and \(StoreLimits.valueBytes) are allowed"
      )
    }
    do throws(StorageError) {
      return try KeyName(validating: key)
    } catch {
      throw .invalidInput(
        "Line \(number): \(error.message)",
        advice: error.advice + " Nothing was changed."
      )
    }
  }

  private static func fault(_ number: Int, _ what: String) -> StorageError {
    .invalidInput(
      "Line \(number) \(what)",
      advice: "Each line is {\"key\": …, \"value\": …} or {\"key\": …, \"base64\": …}. Nothing was "
        + "changed."
    )
  }
}
