import BenchKit
import Foundation
import GRPC
import ProtobufWire

/// Many clients with a stream each, on a connection of its own.
struct StreamLoad {
  let port: UInt16
  let token: String
  let clients: Int

  private static let service = "/skyconnect.realtime.v1.Realtime/"

  /// Opens all streams, then sends messages and times how long each takes to reach every client.
  ///
  /// - Parameters:
  ///   - messages: how many are sent, one after the other.
  ///   - opened: called when all are open, and again when each message has arrived everywhere.
  /// - Returns: what each message took to reach the last client, in milliseconds.
  /// - Throws: where a stream cannot be opened, or ends.
  func run(messages: Int, opened: () throws -> Void) async throws -> [Double] {
    let endpoint = try GRPCEndpoint("http://127.0.0.1:\(port)")
    var options = GRPCCallOptions(deadline: .seconds(600))
    try options.metadata.append("Bearer \(token)", for: "authorization")
    var streams: [(GRPCChannel, GRPCCall)] = []
    for _ in 0..<clients {
      let channel = GRPCChannel(to: endpoint)
      let request = SubscribeRequest(groupID: "general", afterSequence: 0).protobuf
      streams.append(
        (
          channel,
          try await channel.serverStreaming(
            "\(Self.service)Subscribe",
            message: request,
            options: options
          )
        )
      )
    }
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let readers = streams.map { _, call in
      Task {
        while try await call.next() != nil { arrived.yield() }
      }
    }
    defer { for reader in readers { reader.cancel() } }
    var iterator = arrivals.makeAsyncIterator()
    let sender = GRPCChannel(to: endpoint)
    var times: [Double] = []
    // The first one tells that every stream is open, and is not counted.
    for number in 0...messages {
      let start = ContinuousClock.now
      let request = SendRequest(groupID: "general", clientMessageID: "m\(number)", body: "hello")
      _ = try await sender.unary(
        "\(Self.service)Send",
        message: request.protobuf,
        options: options
      )
      for _ in 0..<clients { _ = await iterator.next() }
      let time = start.duration(to: .now).components
      if number == 0 {
        try opened()
      } else {
        times.append(Double(time.seconds) * 1e3 + Double(time.attoseconds) / 1e15)
      }
    }
    return times
  }
}
