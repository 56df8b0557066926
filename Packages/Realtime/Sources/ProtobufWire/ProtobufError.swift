/// Why bytes are not a Protocol Buffers message.
public enum ProtobufError: Error, Equatable, Sendable {
  /// The bytes end within a field.
  case truncated

  /// A varint is longer than 10 bytes, or one for a length longer than 5.
  case malformedVarint

  /// A tag is longer than 5 bytes, or has field number 0, a number above 2^29 - 1, or an unknown wire type.
  case malformedTag

  /// A string field is not UTF-8, which proto3 requires.
  case malformedString

  /// A group ends that did not begin, or begins and does not end.
  case unbalancedGroup

  /// Groups are nested deeper than 100.
  case tooDeep
}

extension ProtobufError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .truncated: "The protobuf message is cut short."
    case .malformedVarint: "The protobuf message has a number with too many bytes."
    case .malformedTag: "The protobuf message has an impossible tag."
    case .malformedString: "The protobuf message has a string that is not UTF-8."
    case .unbalancedGroup: "The protobuf message has a group without its end or beginning."
    case .tooDeep: "The protobuf message is nested too deeply."
    }
  }
}
