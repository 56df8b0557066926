/// The metadata of a call: names with text or binary values, in order, repeats allowed.
///
/// A name that ends in `-bin` has binary values, every other one printable ASCII.
public struct GRPCMetadata: Hashable, Sendable {
  /// A value, by the kind of its name.
  public enum Value: Hashable, Sendable {
    /// Printable ASCII.
    case text(String)

    /// Bytes, of a `-bin` name.
    case binary([UInt8])
  }

  /// One name and value.
  public struct Entry: Hashable, Sendable {
    /// The name, in lower case.
    public let name: String

    /// The value.
    public let value: Value
  }

  /// All entries, in order.
  public private(set) var entries: [Entry] = []

  /// No metadata.
  public init() {}

  /// Whether there is none.
  public var isEmpty: Bool { entries.isEmpty }

  /// The first text value of a name.
  public subscript(_ name: String) -> String? { texts(name).first }

  /// All text values of a name.
  public func texts(_ name: String) -> [String] {
    values(name).compactMap { if case .text(let text) = $0 { text } else { nil } }
  }

  /// All binary values of a `-bin` name.
  public func binaries(_ name: String) -> [[UInt8]] {
    values(name).compactMap { if case .binary(let bytes) = $0 { bytes } else { nil } }
  }

  /// All values of a name, in order.
  public func values(_ name: String) -> [Value] {
    let name = name.lowercased()
    return entries.filter { $0.name == name }.map(\.value)
  }

  /// Adds a text value.
  ///
  /// White space around it is dropped, as HTTP/2 would.
  ///
  /// - Parameters:
  ///   - text: printable ASCII; for a `-bin` name base64, with or without padding.
  ///   - name: letters, digits, `-`, `_` and `.`; not beginning with `grpc-`.
  /// - Throws: ``GRPCMetadataError`` when name or value may not be sent.
  public mutating func append(_ text: String, for name: String) throws(GRPCMetadataError) {
    let name = try Self.checked(name)
    if name.hasSuffix("-bin") {
      guard let bytes = Base64.decode(text) else { throw .malformedBase64(name: name) }
      entries.append(Entry(name: name, value: .binary(bytes)))
      return
    }
    let trimmed = Self.trimmed(text)
    guard trimmed.utf8.allSatisfy({ $0 >= 0x20 && $0 <= 0x7E }) else {
      throw .unprintable(name: name)
    }
    entries.append(Entry(name: name, value: .text(trimmed)))
  }

  /// Adds a binary value.
  ///
  /// - Throws: ``GRPCMetadataError`` when the name does not end in `-bin` or may not be sent.
  public mutating func append(_ bytes: [UInt8], for name: String) throws(GRPCMetadataError) {
    let name = try Self.checked(name)
    guard name.hasSuffix("-bin") else { throw .notBinary(name: name) }
    entries.append(Entry(name: name, value: .binary(bytes)))
  }

  /// Adds an entry of another call's metadata.
  public mutating func append(_ entry: Entry) { entries.append(entry) }

  /// Takes an entry from the wire; what cannot be read is passed over.
  mutating func receive(_ name: String, _ value: String) {
    guard name.hasSuffix("-bin") else {
      entries.append(Entry(name: name, value: .text(value)))
      return
    }
    // Repeated binary values may come joined by commas, which base64 does not have.
    for part in value.split(separator: ",", omittingEmptySubsequences: false) {
      guard let bytes = Base64.decode(Self.trimmed(String(part))) else { continue }
      entries.append(Entry(name: name, value: .binary(bytes)))
    }
  }

  private static func checked(_ name: String) throws(GRPCMetadataError) -> String {
    let name = name.lowercased()
    let isLegal = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    guard isLegal, !name.isEmpty else { throw .illegalName(name) }
    let reserved = ["te", "content-type", "connection", "host", "transfer-encoding", "user-agent"]
    guard !name.hasPrefix("grpc-"), !reserved.contains(name) else { throw .reservedName(name) }
    return name
  }

  private static func trimmed(_ text: String) -> String {
    var rest = text[...]
    while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
    while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    return String(rest)
  }
}

extension GRPCMetadata.Entry: CustomStringConvertible, CustomReflectable {
  /// Name and value; of `authorization` the name only (R9).
  public var description: String {
    switch value {
    case _ where name == "authorization": "\(name): <redacted>"
    case .text(let text): "\(name): \(text)"
    case .binary(let bytes): "\(name): \(Base64.encode(bytes))"
    }
  }

  /// Shows what ``description`` shows, so that `dump` finds no token.
  public var customMirror: Mirror { Mirror(self, children: ["entry": description]) }
}
