import Synchronization
import Testing

@testable import DevBackend

/// The database below the services, without a server.
@Suite struct StorageTests {
  @Test func `a database of the first version goes on where its groups were`() throws {
    let connection = try SQLiteConnection(path: nil)
    try Migrations.apply(Array(Migrations.steps.prefix(1)), to: connection)
    for group in ["full", "empty"] {
      try connection.run(
        "INSERT INTO chat_groups (id, created_at) VALUES (?, 0)",
        .text(group)
      )
    }
    let user = """
      INSERT INTO users VALUES
        ('u', 'ada', 'ada', 'a@b.c', 'a@b.c', '', NULL, NULL, '', 0, 0, 0, NULL, NULL)
      """
    try connection.run(user)
    for sequence in 1...3 {
      try connection.run(
        "INSERT INTO messages VALUES ('full', ?, ?, 'u', ?, 'hello', 0)",
        .integer(Int64(sequence)),
        .text("m\(sequence)"),
        .text("c\(sequence)")
      )
    }
    try Migrations.apply(to: connection)
    for (group, next) in [("full", Int64(4)), ("empty", 1)] {
      let message = try GroupTable.append(
        body: "next",
        clientMessageID: "next",
        sender: "u",
        group: group,
        now: 0,
        connection
      )
      #expect(message.sequence == next)
    }
  }

  @Test func `a group that does not exist takes no message`() throws {
    let connection = try SQLiteConnection(path: nil)
    try Migrations.apply(to: connection)
    #expect(throws: ServiceFailure.notFound("group")) {
      try GroupTable.append(
        body: "",
        clientMessageID: "1",
        sender: "u",
        group: "none",
        now: 0,
        connection
      )
    }
  }

  @Test(arguments: [1, 3])
  func `blocking work is done by so many threads, all of it, and begun in its order`(count: Int)
    async
  {
    struct Tally {
      var running = 0
      var most = 0
      var begun: [Int] = []
    }
    let tally = Mutex(Tally())
    let workers = BlockingWorkers(label: "test", count: count)
    await withCheckedContinuation { (all: CheckedContinuation<Void, Never>) in
      for number in 0..<200 {
        workers.enqueue {
          tally.withLock { tally in
            tally.running += 1
            tally.most = max(tally.most, tally.running)
            tally.begun.append(number)
          }
          let isLast = tally.withLock { tally in
            tally.running -= 1
            return tally.begun.count == 200 && tally.running == 0
          }
          if isLast { all.resume() }
        }
      }
    }
    tally.withLock { tally in
      #expect(tally.most <= count)
      #expect(Set(tally.begun) == Set(0..<200))
      if count == 1 { #expect(tally.begun == Array(0..<200)) }
    }
  }
}
