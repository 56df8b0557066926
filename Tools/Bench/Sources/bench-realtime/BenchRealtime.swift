import GRPC
import Glibc

/// A gRPC client of raw bytes in a process of its own.
///
/// Prints the processor time, the time, the median time of a call (all in nanoseconds) and the
/// most memory that was resident, in KiB; of a consumer that stops reading, the KiB that its
/// stream added to that.
@main enum BenchRealtime {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let count = Int(arguments[3]), let size = Int(arguments[4]) else {
      fail("usage: bench-realtime PORT stream|stream-inline|unary|unary-inline|stall COUNT SIZE")
    }
    var configuration = GRPCChannelConfiguration()
    configuration.maximumMessageBytes = 64 << 20
    let channel = GRPCChannel(
      to: try GRPCEndpoint("http://127.0.0.1:\(arguments[1])"),
      configuration: configuration
    )
    switch arguments[2] {
    case "stream": try await measureStream(channel, count: count, size: size)
    case "stream-inline":
      try await withTaskExecutorPreference(channel.executor) {
        try await measureStream(channel, count: count, size: size)
      }
    case "unary": try await measureUnary(channel, count: count, size: size)
    case "unary-inline":
      try await withTaskExecutorPreference(channel.executor) {
        try await measureUnary(channel, count: count, size: size)
      }
    case "stall":
      try await stream(channel, count: 1, size: size)
      try await stall(channel, count: count, size: size)
    default: fail("\(arguments[2]) is unknown")
    }
  }

  /// The beginning opens the connection and loads code.
  private static func measureStream(
    _ channel: GRPCChannel,
    count: Int,
    size: Int
  ) async throws {
    try await stream(channel, count: count / 20 + 1, size: size)
    let used = ResourceUse()
    try await stream(channel, count: count, size: size)
    used.report(times: [])
  }

  private static func measureUnary(
    _ channel: GRPCChannel,
    count: Int,
    size: Int
  ) async throws {
    _ = try await unary(channel, count: count / 20 + 1, size: size)
    let used = ResourceUse()
    used.report(times: try await unary(channel, count: count, size: size))
  }

  private static func open(
    _ channel: GRPCChannel,
    _ count: Int,
    _ size: Int
  ) async throws -> GRPCCall {
    var request: [UInt8] = []
    for shift in stride(from: 56, through: 0, by: -8) {
      request.append(UInt8(truncatingIfNeeded: count >> shift))
    }
    for shift in stride(from: 24, through: 0, by: -8) {
      request.append(UInt8(truncatingIfNeeded: size >> shift))
    }
    return try await channel.serverStreaming("/bench.Bench/Stream", message: request)
  }

  @concurrent
  private static func stream(_ channel: GRPCChannel, count: Int, size: Int) async throws {
    let call = try await open(channel, count, size)
    var received = 0
    while let message = try await call.next() {
      guard message.count == size else { fail("a message of another size") }
      received += 1
    }
    guard received == count else { fail("\(received) messages came") }
  }

  @concurrent
  private static func unary(_ channel: GRPCChannel, count: Int, size: Int) async throws -> [Int] {
    let request = [UInt8](repeating: 0x78, count: size)
    var times: [Int] = []
    times.reserveCapacity(count)
    for _ in 0..<count {
      let begin = ResourceUse.now()
      let answer = try await channel.unary("/bench.Bench/Unary", message: request)
      guard answer.message.count == size else { fail("an answer of another size") }
      times.append(ResourceUse.now() - begin)
    }
    return times
  }

  /// Takes one message of a stream, and no more, until memory has not grown for half a second.
  private static func stall(_ channel: GRPCChannel, count: Int, size: Int) async throws {
    let before = ResourceUse.peakMemory()
    let call = try await open(channel, count, size)
    guard try await call.next() != nil else { fail("no message came") }
    var (peak, stillFor) = (0, 0)
    while stillFor < 10 {
      try await Task.sleep(for: .milliseconds(50))
      let now = ResourceUse.peakMemory()
      stillFor = now == peak ? stillFor + 1 : 0
      peak = now
    }
    print(0, 0, 0, peak - before)
    call.cancel()
  }

  private static func fail(_ why: String) -> Never {
    let line = "bench-realtime: \(why)\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(EXIT_FAILURE)
  }
}
