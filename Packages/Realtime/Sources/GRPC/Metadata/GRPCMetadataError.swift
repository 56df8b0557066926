/// Why an entry may not be sent as metadata.
public enum GRPCMetadataError: Error, Equatable, Sendable {
  /// The name has other characters than lower-case letters, digits, `-`, `_` and `.`.
  case illegalName(String)

  /// The name belongs to gRPC or HTTP.
  case reservedName(String)

  /// The text value of this name has characters that are not printable ASCII.
  case unprintable(name: String)

  /// The value of this `-bin` name is no base64.
  case malformedBase64(name: String)

  /// Bytes were given for a name that does not end in `-bin`.
  case notBinary(name: String)
}

extension GRPCMetadataError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .illegalName(let name): "“\(name)” is no name for metadata."
    case .reservedName(let name): "The metadata name “\(name)” is reserved."
    case .unprintable(let name): "The metadata “\(name)” must be printable ASCII."
    case .malformedBase64(let name): "The metadata “\(name)” must be base64."
    case .notBinary(let name): "The metadata “\(name)” has no name for bytes (-bin)."
    }
  }
}
