internal import GRPC
internal import ProtobufWire

extension RealtimeClient {
  /// Tells whoever watches a group that the user is writing.
  ///
  /// The server says who it is, by the token. Nothing is repeated: a signal is news or it is
  /// nothing.
  ///
  /// - Parameters:
  ///   - groupID: the group.
  ///   - deadline: how long it may take.
  /// - Throws: `GRPCError`, or what the token provider throws.
  public func signalTyping(groupID: String, deadline: Duration = .seconds(5)) async throws {
    let frame = ClientFrame(.typing(Typing(groupID: groupID, userID: "")))
    do throws(GRPCError) {
      let options = GRPCCallOptions(deadline: deadline)
      let call = try await channel.streaming(RealtimeMethod.connect, options: options)
      try await call.send(frame.protobuf)
      await call.closeSend()
      while try await call.next() != nil {}
    } catch {
      throw error.tokenError ?? error
    }
  }
}
