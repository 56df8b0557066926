import HTTP2

@testable import GRPC

private let limit = 1 << 16

/// Reads the bytes as a stream of messages and as header values.
func examine(_ bytes: [UInt8]) {
  guard let first = bytes.first else { return }
  let stream = Array(bytes.dropFirst())
  let whole = messages(stream, pieces: max(1, stream.count))
  let cut = messages(stream, pieces: Int(first) + 1)
  precondition(whole == cut, "the pieces change the messages")
  for frame in whole {
    let message = try? GRPCCompression.gzip.message(frame, limit: limit)
    precondition((message?.count ?? 0) <= limit, "a message is above the limit")
  }
  examineText(String(decoding: stream.prefix(1000), as: UTF8.self))
}

private func messages(_ bytes: [UInt8], pieces: Int) -> [MessageFrame] {
  var inbound = InboundMessages(limit: limit, window: 1024)
  var messages: [MessageFrame] = []
  var credit = 0
  for start in stride(from: 0, to: bytes.count, by: pieces) {
    do {
      let piece = Array(bytes[start..<min(start + pieces, bytes.count)])
      try piece.withUnsafeBytes { try inbound.receive($0) }
    } catch {
      while let frame = inbound.take() { messages.append(frame) }
      return messages
    }
    while let frame = inbound.take() { messages.append(frame) }
    credit += inbound.takeCredit()
  }
  precondition(credit + inbound.drop() == bytes.count, "window is lost or made up")
  return messages
}

private func examineText(_ text: String) {
  let decoded = PercentCoding.decode(text)
  precondition(PercentCoding.decode(PercentCoding.encode(decoded)) == decoded)
  if let bytes = Base64.decode(text) { precondition(Base64.decode(Base64.encode(bytes)) == bytes) }
  if let time = GRPCTimeout.decode(text) { precondition(time >= .zero) }
  var response = ResponseMachine()
  response.receive(
    [
      HTTP2Header(":status", "200"), HTTP2Header("content-type", "application/grpc"),
      HTTP2Header("x-bin", text),
    ],
    kind: .response,
    endStream: false,
    isWithinMessage: false
  )
  response.receive(
    [HTTP2Header("grpc-status", text), HTTP2Header("grpc-message", text)],
    kind: .trailers,
    endStream: true,
    isWithinMessage: false
  )
  precondition(response.outcome != nil, "trailers do not end the call")
}
