/// A message of `realtime.proto` that can be read from and written to the protobuf encoding.
public protocol ProtobufMessage: Equatable, Sendable {
  /// The message with every field at its default.
  init()

  /// Reads the fields in `bytes` over those that are there, as the encoding asks: the last value
  /// of a field wins, a repeated submessage is merged.
  ///
  /// - Parameter bytes: the encoding of one whole message.
  /// - Throws: ``ProtobufError`` for malformed bytes.
  mutating func merge(_ bytes: ArraySlice<UInt8>) throws(ProtobufError)

  /// The encoding: known fields by number, defaults left out, then the unknown ones.
  var protobuf: [UInt8] { get }
}

extension ProtobufMessage {
  /// Reads one message.
  ///
  /// - Parameter bytes: the encoding of one whole message; empty bytes are the empty message.
  /// - Throws: ``ProtobufError`` for malformed bytes.
  public init(protobuf bytes: [UInt8]) throws(ProtobufError) {
    self.init()
    try merge(bytes[...])
  }
}
