/// A JSON object: members by name, in the order in which they came.
public struct JSONObject: Equatable, Sendable {
  /// The names, in order, each once.
  public private(set) var names: [String] = []
  private var values: [String: JSONValue] = [:]

  /// An object of these members; of equal names the last one counts, in the first one's place.
  public init(_ members: some Sequence<(String, JSONValue)> = []) {
    for (name, value) in members { self[name] = value }
  }

  /// The value of a name.
  ///
  /// Setting an unknown name adds it at the end; setting nil removes it.
  public subscript(name: String) -> JSONValue? {
    get { values[name] }
    set {
      let old = values[name]
      values[name] = newValue
      if old == nil, newValue != nil {
        names.append(name)
      } else if old != nil, newValue == nil {
        names.removeAll { $0 == name }
      }
    }
  }
}

extension JSONObject: Sequence {
  /// The members, in order.
  public func makeIterator() -> some IteratorProtocol<(name: String, value: JSONValue)> {
    names.lazy.compactMap { name in values[name].map { (name: name, value: $0) } }.makeIterator()
  }
}
