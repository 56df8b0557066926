import Testing

@testable import SecureStorage

/// A table by key behaves as a dictionary does.
@Suite struct KeyTableTests {
  private func key(_ index: Int) -> KeyName { KeyName(unchecked: "key \(index)") }

  private func expectSame(_ table: KeyTable<Int>, _ model: [KeyName: Int]) {
    #expect(table.count == model.count)
    #expect(Set(table.keys) == Set(model.keys))
    var found: [KeyName: Int] = [:]
    table.forEach { key, value in found[key] = value }
    #expect(found == model)
  }

  @Test func `an empty one holds nothing`() {
    var table: KeyTable<Int> = [:]
    #expect(table.isEmpty)
    #expect(table[key(1)] == nil)
    table[key(1)] = nil
    expectSame(table, [:])
    expectSame(KeyTable(minimumCapacity: 100), [:])
  }

  @Test(arguments: 1...8)
  func `whatever is set, changed and removed, it is as a dictionary`(seed: UInt64) {
    var random = seed
    func next(_ bound: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % bound
    }
    var table = KeyTable<Int>(minimumCapacity: next(40))
    var model: [KeyName: Int] = [:]
    for step in 0..<3000 {
      let key = key(next(60))
      // Rather more are removed in every other hundred, so that it is empty at times.
      let value = next(10) < (step / 100 % 2 == 0 ? 7 : 2) ? step : nil
      table[key] = value
      model[key] = value
      #expect(table[key] == value)
      if step % 50 == 0 {
        expectSame(table, model)
        for index in 0..<60 { #expect(table[self.key(index)] == model[self.key(index)]) }
      }
    }
    expectSame(table, model)
  }

  @Test func `two are the same where they hold the same, however they came to`() {
    let (one, two): (KeyTable<Int>, KeyTable<Int>) = (
      [key(1): 1, key(2): 2], [key(2): 2, key(1): 1]
    )
    var three = KeyTable<Int>(minimumCapacity: 50)
    for index in 0..<40 { three[key(index)] = index }
    for index in 0..<40 where index != 1 && index != 2 { three[key(index)] = nil }
    #expect(one == two)
    #expect(one == three)
    three[key(2)] = 3
    #expect(one != three)
    #expect(one != [key(1): 1])
  }
}
