/// Header fields in their order; names are compared without regard to case (RFC 9110).
public struct HTTPHeaders: Equatable, Sendable {
  /// The fields, in order.
  public private(set) var fields: [(name: String, value: String)]

  /// Fields in their order.
  public init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }

  /// The first value of a name; setting replaces all of them, and nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { HTTPHeaders.isSame($0.name, name) }?.value }
    set {
      let position = fields.firstIndex { HTTPHeaders.isSame($0.name, name) }
      fields.removeAll { HTTPHeaders.isSame($0.name, name) }
      if let newValue {
        fields.insert((name, newValue), at: min(position ?? fields.count, fields.count))
      }
    }
  }

  /// Adds a field after the others, also where the name is there already.
  public mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

  /// Makes room for fields that are about to be added.
  mutating func reserve(_ count: Int) { fields.reserveCapacity(count) }

  /// Whether two names are the same field.
  public static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count
      && zip(left.utf8, right.utf8).allSatisfy { pair in
        pair.0 == pair.1 || (lowercased(pair.0) == lowercased(pair.1))
      }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// Equal fields in equal order.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields.count == right.fields.count
      && zip(left.fields, right.fields).allSatisfy { $0.name == $1.name && $0.value == $1.value }
  }
}
