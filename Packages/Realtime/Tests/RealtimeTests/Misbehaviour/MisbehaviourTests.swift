import GRPC
import Testing

/// Calls to servers that break every rule end with a status, soon, and in the right words.
@Suite(.timeLimit(.minutes(5))) struct MisbehaviourTests {
  @Test(arguments: Misbehaviour.answers + Misbehaviour.frames + Misbehaviour.connections)
  func `a call ends with a status`(_ behaviour: Misbehaviour) async throws {
    let server = try RawServer(behaviour.script)
    defer { server.stop() }
    var configuration = GRPCChannelConfiguration()
    // Where nothing comes, impatience ends the test; elsewhere it would judge a busy machine.
    let (short, long) = (Duration.milliseconds(500), Duration.seconds(20))
    configuration.connectTimeout = behaviour.isSilence && behaviour.requests == 0 ? short : long
    configuration.keepaliveInterval = .milliseconds(300)
    configuration.keepaliveTimeout = behaviour.isSilence ? short : long
    let channel = GRPCChannel(
      to: try GRPCEndpoint("http://127.0.0.1:\(server.port)"),
      configuration: configuration
    )
    let start = ContinuousClock.now
    do throws(GRPCError) {
      let answer = try await channel.unary("/a.B/C", message: [7])
      #expect(behaviour.code == .ok)
      #expect(answer.message == behaviour.message)
    } catch {
      #expect(error.status.code == behaviour.code, "\(error)")
      #expect(error.status.message.contains(behaviour.says), "\(error)")
    }
    #expect(.now - start < .seconds(60))
    #expect(server.requests == behaviour.requests)
  }
}
