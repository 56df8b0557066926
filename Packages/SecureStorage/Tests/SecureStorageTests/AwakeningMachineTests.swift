import Testing

@testable import SecureStorage

/// When a store that cannot be opened yet is tried again.
@Suite struct AwakeningMachineTests {
  private static let locked = StorageError(.vaultLocked, "Locked", advice: "Unlock")
  private static let unavailable = StorageError(.vaultUnavailable, "Gone", advice: "Start")

  private var machine = AwakeningMachine()

  @Test mutating func `waits double up to half a minute`() {
    #expect(machine.handle(.wanted) == [.open])
    #expect(
      machine.handle(.failed(Self.locked)) == [.tell(Self.locked), .wait(.seconds(1), number: 1)]
    )
    for (number, seconds) in [2, 4, 8, 16, 30, 30, 30].enumerated() {
      #expect(machine.handle(.due(number + 1)) == [.open])
      #expect(
        machine.handle(.failed(Self.locked)) == [.wait(.seconds(seconds), number: number + 2)]
      )
    }
    #expect(machine.handle(.due(8)) == [.open])
    #expect(machine.handle(.opened) == [])
  }

  @Test mutating func `another reason is told, the same one is not`() {
    _ = machine.handle(.wanted)
    #expect(machine.error.code == .vaultUnavailable)
    #expect(machine.handle(.failed(Self.unavailable)).first == .tell(Self.unavailable))
    _ = machine.handle(.due(1))
    #expect(machine.handle(.failed(Self.locked)).first == .tell(Self.locked))
    #expect(machine.error == Self.locked)
    _ = machine.handle(.due(2))
    #expect(machine.handle(.failed(Self.locked)) == [.wait(.seconds(4), number: 3)])
  }

  @Test(arguments: StorageError.Code.allCases)
  func `only what passes by itself is waited for`(code: StorageError.Code) {
    var machine = AwakeningMachine()
    _ = machine.handle(.wanted)
    let error = StorageError(code, "m", advice: "a")
    let passes = code == .vaultLocked || code == .vaultUnavailable
    #expect(
      machine.handle(.failed(error))
        == [.tell(error)] + (passes ? [.wait(.seconds(1), number: 1)] : [])
    )
    // Somebody may have mended it.
    var told = machine
    #expect(told.handle(.mayHaveUnlocked) == [.open])
    #expect(machine.handle(.wanted) == [.open])
  }

  @Test mutating func `an unlocking is tried at once, and makes the wait before it void`() {
    _ = machine.handle(.wanted)
    _ = machine.handle(.failed(Self.locked))
    #expect(machine.handle(.mayHaveUnlocked) == [.open])
    #expect(machine.handle(.due(1)) == [])
    #expect(machine.handle(.failed(Self.locked)) == [.wait(.seconds(2), number: 2)])
    #expect(machine.handle(.due(1)) == [])
    #expect(machine.handle(.due(2)) == [.open])
  }

  @Test mutating func `an unlocking while the vault is asked makes its answer stale`() {
    _ = machine.handle(.wanted)
    #expect(machine.handle(.mayHaveUnlocked) == [])
    #expect(machine.handle(.failed(Self.locked)) == [.tell(Self.locked), .open])
    #expect(machine.handle(.opened) == [])
  }

  @Test mutating func `a vault that tells without end is asked once a second`() {
    _ = machine.handle(.wanted)
    _ = machine.handle(.failed(Self.locked))
    var waits: [Int] = []
    for _ in 0..<50 {
      var effects = machine.handle(.mayHaveUnlocked)
      if effects == [.open] {
        _ = machine.handle(.mayHaveUnlocked)
        effects = machine.handle(.failed(Self.locked))
      }
      for case .wait(let time, let number) in effects {
        #expect(time >= .seconds(1))
        waits.append(number)
      }
    }
    // One at once, then a short wait that nothing shortens or draws out.
    #expect(waits == [2])
    #expect(machine.handle(.due(2)) == [.open])
  }

  @Test mutating func `nothing is tried once the store is open, nor twice at a time`() {
    #expect(machine.handle(.wanted) == [.open])
    #expect(machine.handle(.wanted) == [])
    #expect(machine.handle(.due(0)) == [])
    _ = machine.handle(.opened)
    for event: AwakeningMachine.Event in [
      .wanted, .mayHaveUnlocked, .due(0), .failed(Self.locked), .opened,
    ] {
      #expect(machine.handle(event) == [])
    }
  }
}
