import ProtobufWire

/// Reads the bytes as each message: what is taken is read again as it was written.
func examine(_ bytes: [UInt8]) {
  examine(bytes, as: Event.self)
  examine(bytes, as: ClientFrame.self)
  examine(bytes, as: Message.self)
  examine(bytes, as: SubscribeRequest.self)
}

private func examine<Message: ProtobufMessage>(_ bytes: [UInt8], as _: Message.Type) {
  guard let message = try? Message(protobuf: bytes) else { return }
  let written = message.protobuf
  guard let again = try? Message(protobuf: written) else {
    preconditionFailure("what was written is refused")
  }
  precondition(again == message && again.protobuf == written, "it is read as something else")
}
