internal import CHiredis

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Android)
internal import Android
#else
internal import Glibc
#endif

/// Why Redis is of no use; it never holds a password.
struct RedisError: Error, Equatable {
  let message: String
}

/// One connection to a Redis server; each call blocks, for as long as the time limit.
///
/// It is not thread-safe; unchecked, since each is used by one thread only: the bus's listener, or
/// its one worker that publishes.
final class RedisConnection: @unchecked Sendable {
  /// An answer of the server, or what it pushes to who has subscribed.
  indirect enum Reply: Equatable {
    case text([UInt8])
    case integer(Int64)
    case array([Reply])
    case null
  }

  private let context: UnsafeMutablePointer<redisContext>

  /// Connects; blocks.
  init(_ address: RedisAddress, limit: Duration) throws(RedisError) {
    let time = timeval(
      tv_sec: Int(limit.components.seconds),
      tv_usec: .init(limit.components.attoseconds / 1_000_000_000_000)
    )
    guard let context = redisConnectWithTimeout(address.host, address.port, time) else {
      throw RedisError(message: "there is no memory for a connection")
    }
    self.context = context
    guard context.pointee.err == 0, redisSetTimeout(context, time) == REDIS_OK else {
      throw RedisError(message: "cannot connect to Redis: \(reason)")
    }
    if let password = address.password {
      try run(["AUTH"] + [address.user, password].compactMap(\.self))
    }
    if address.database != 0 { try run(["SELECT", String(address.database)]) }
  }

  deinit { redisFree(context) }

  /// Sends commands together and reads their answers.
  @discardableResult
  func run(_ commands: [String]...) throws(RedisError) -> [Reply] { try run(all: commands) }

  /// The same for a list.
  @discardableResult
  func run(all commands: [[String]]) throws(RedisError) -> [Reply] {
    for command in commands { try append(command) }
    var replies: [Reply] = []
    for _ in commands {
      var found: UnsafeMutablePointer<redisReply>?
      guard chiredis_get_reply(context, &found) == REDIS_OK, let found else { throw lost }
      defer { freeReplyObject(found) }
      replies.append(try Self.reply(found.pointee))
    }
    return replies
  }

  /// Sends a command whose answer comes among what is pushed.
  func send(_ command: [String]) throws(RedisError) {
    try append(command)
    var isDone: Int32 = 0
    while isDone == 0 {
      guard redisBufferWrite(context, &isDone) == REDIS_OK else { throw lost }
    }
  }

  /// The next thing that the server says; nil when it says nothing for so long.
  func receive(within duration: Duration) throws(RedisError) -> Reply? {
    let deadline = Deadline(in: duration)
    while true {
      var found: UnsafeMutablePointer<redisReply>?
      guard chiredis_next_reply(context, &found) == REDIS_OK else { throw lost }
      if let found {
        defer { freeReplyObject(found) }
        return try Self.reply(found.pointee)
      }
      // Read only when there is something: a read that times out breaks the connection.
      guard deadline.wait(for: POLLIN, on: context.pointee.fd) else { return nil }
      guard redisBufferRead(context) == REDIS_OK else { throw lost }
    }
  }

  private func append(_ command: [String]) throws(RedisError) {
    let copies = command.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    var pointers = copies.map { UnsafePointer($0) }
    let lengths = command.map { $0.utf8.count }
    guard
      redisAppendCommandArgv(context, Int32(command.count), &pointers, lengths) == REDIS_OK
    else { throw lost }
  }

  private var lost: RedisError {
    RedisError(message: "the connection to Redis was lost: \(reason)")
  }

  private var reason: String {
    withUnsafePointer(to: &context.pointee.errstr) { text in
      text.withMemoryRebound(to: CChar.self, capacity: 128) { String(cString: $0) }
    }
  }

  private static func reply(_ reply: redisReply) throws(RedisError) -> Reply {
    let bytes = { () -> [UInt8] in
      guard let start = reply.str else { return [] }
      return Array(UnsafeRawBufferPointer(start: start, count: Int(reply.len)))
    }
    switch reply.type {
    case REDIS_REPLY_ERROR:
      throw RedisError(message: "Redis refuses: \(String(decoding: bytes(), as: UTF8.self))")
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return .text(bytes())
    case REDIS_REPLY_INTEGER: return .integer(reply.integer)
    case REDIS_REPLY_ARRAY:
      var elements: [Reply] = []
      for index in 0..<Int(reply.elements) {
        guard let element = reply.element?[index] else { continue }
        elements.append(try Self.reply(element.pointee))
      }
      return .array(elements)
    default: return .null
    }
  }
}
