/// A table by the names of entries, as a dictionary is.
///
/// The type of a dictionary is put together at run time, and that its key is hashable is looked up
/// among the conformances of all libraries: a tenth of what opening a store takes. This one asks for
/// nothing of the kind.
struct KeyTable<Value: Sendable>: Sendable {
  private struct Element: Sendable {
    let key: KeyName
    var value: Value
  }

  /// A power of two, at most three quarters of them taken; empty as long as there is no element.
  ///
  /// An element lies in the place that its hash gives, or in the next free one.
  private var places: [Element?] = []
  /// How many there are.
  private(set) var count = 0

  /// An empty table.
  init() {}

  /// An empty table with room for so many.
  init(minimumCapacity: Int) {
    guard minimumCapacity > 0 else { return }
    var size = 4
    while size * 3 < minimumCapacity * 4 { size *= 2 }
    places = Array(repeating: nil, count: size)
  }

  var isEmpty: Bool { count == 0 }

  /// Every key, in no order.
  var keys: [KeyName] { places.compactMap { $0?.key } }

  /// The value of a key; setting nil removes it.
  subscript(key: KeyName) -> Value? {
    get {
      guard count > 0 else { return nil }
      return places[place(of: key)]?.value
    }
    set {
      if let newValue {
        if (count + 1) * 4 > places.count * 3 { grow() }
        let place = place(of: key)
        if places[place] == nil { count += 1 }
        places[place] = Element(key: key, value: newValue)
      } else if count > 0 {
        remove(at: place(of: key))
      }
    }
  }

  /// Calls `body` for each key and its value, in no order.
  func forEach<Failure: Error>(
    _ body: (KeyName, Value) throws(Failure) -> Void
  ) throws(Failure) {
    for element in places {
      if let element { try body(element.key, element.value) }
    }
  }

  /// Takes in what another table has of keys that this one lacks.
  mutating func add(_ other: KeyTable) {
    other.forEach { key, value in if self[key] == nil { self[key] = value } }
  }

  /// Where the key is, or would be set; there is always a free place.
  private func place(of key: KeyName) -> Int {
    var place = home(of: key)
    while let element = places[place], element.key != key { place = next(place) }
    return place
  }

  private func home(of key: KeyName) -> Int {
    var hasher = Hasher()
    key.hash(into: &hasher)
    return hasher.finalize() & (places.count - 1)
  }

  private func next(_ place: Int) -> Int { (place + 1) & (places.count - 1) }

  private mutating func grow() {
    let old = places
    places = Array(repeating: nil, count: max(4, old.count * 2))
    for element in old {
      if let element { places[place(of: element.key)] = element }
    }
  }

  /// Moves up what would not be found any more behind a free place.
  private mutating func remove(at removed: Int) {
    guard places[removed] != nil else { return }
    places[removed] = nil
    count -= 1
    var (hole, place) = (removed, next(removed))
    while let element = places[place] {
      // How far it lies behind its own place, and behind the hole.
      let distance = (place - home(of: element.key)) & (places.count - 1)
      if distance >= (place - hole) & (places.count - 1) {
        places[hole] = element
        places[place] = nil
        hole = place
      }
      place = next(place)
    }
  }
}

extension KeyTable: Equatable where Value: Equatable {
  static func == (left: KeyTable, right: KeyTable) -> Bool {
    guard left.count == right.count else { return false }
    var isSame = true
    left.forEach { key, value in isSame = isSame && right[key] == value }
    return isSame
  }
}

extension KeyTable: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (KeyName, Value)...) {
    self.init(minimumCapacity: elements.count)
    for (key, value) in elements { self[key] = value }
  }
}
