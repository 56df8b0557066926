import SecureStorage
import SecureStorageTesting
import SessionModels

/// One process's way to the store: it takes its time, fails now and then, and a dead process
/// commits nothing more.
final class SimulatedStore: SessionStorage {
  private static let dead = StorageError(.io, "The process is dead", advice: "")
  private static let full = StorageError(.io, "The disk is full", advice: "Make room")
  private static let locked = StorageError(.vaultLocked, "The vault is locked", advice: "Unlock it")

  private let world: SimulatedWorld
  private let life: ProcessLife
  private let slot: InMemorySessionStorage

  init(_ world: SimulatedWorld, _ life: ProcessLife) {
    self.world = world
    self.life = life
    slot = world.slot.sibling()
  }

  func record() throws(StorageError) -> SessionRecord {
    guard life.isAlive else { throw SimulatedStore.dead }
    guard !world.isLocked else { throw SimulatedStore.locked }
    return try slot.record()
  }

  func update(
    _ change: @escaping @Sendable (SessionRecord) -> SessionRecord?
  ) async throws(StorageError) -> SessionRecord {
    await world.pause(upTo: 0.2)
    guard life.isAlive else { throw SimulatedStore.dead }
    guard !world.isLocked else { throw SimulatedStore.locked }
    if world.faults(once: 25) { throw SimulatedStore.full }
    let record = try await slot.update(change)
    world.noteDurable(record)
    await world.pause(upTo: 0.1)
    guard life.isAlive else { throw SimulatedStore.dead }
    return record
  }

  func wipe(reason: SignOutReason) async throws(StorageError) -> SessionRecord? {
    await world.pause(upTo: 0.2)
    guard life.isAlive else { throw SimulatedStore.dead }
    let removed = try await slot.wipe(reason: reason)
    await world.pause(upTo: 0.1)
    return world.isLocked ? nil : removed
  }

  func records() -> AsyncStream<Result<SessionRecord, StorageError>> { slot.records() }
}
