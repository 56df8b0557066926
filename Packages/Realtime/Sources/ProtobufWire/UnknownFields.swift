/// The fields that this version of the contract does not know, byte for byte.
///
/// They are kept when a message is read and written after the known ones, so an older client
/// passes on what a newer one said.
public struct UnknownFields: Equatable, Hashable, Sendable {
  /// The fields as they came, each with its tag, one after the other.
  public private(set) var bytes: [UInt8] = []

  /// No unknown field.
  public init() {}

  mutating func keep(_ field: ProtobufField) { bytes.append(contentsOf: field.raw) }
}
