internal import GRPC

/// What stands on the command line of `rpc`, checked.
struct RPCInput {
  /// `/package.Service/Method`.
  let path: String
  /// The request's messages, as far as the command line has them.
  let messages: [[UInt8]]
  /// Whether more messages come from standard input, one a line.
  let readsInput: Bool
  /// Metadata, deadline, compression.
  let options: GRPCCallOptions
  /// Whether the metadata brings its own `authorization`.
  let hasOwnAuthorization: Bool

  /// Reads a command line.
  ///
  /// - Throws: ``ClientError`` of code `usage`, or `invalidInput` for bad hexadecimal digits.
  init(_ invocation: Invocation) throws(ClientError) {
    path = try RPCInput.path(invocation.operand(0) ?? "")
    guard invocation.value("messages").map({ $0 == "-" }) ?? true else {
      throw .usage("--messages takes - only, for standard input")
    }
    readsInput = invocation.value("messages") != nil
    var messages: [[UInt8]] = []
    for text in invocation.all("message-hex") {
      messages.append(try RPCInput.bytes(text, of: "--message-hex"))
    }
    self.messages = messages.isEmpty && !readsInput ? [[]] : messages
    var options = GRPCCallOptions(
      deadline: invocation.value("deadline").flatMap(ValueForm.duration)
    )
    options.metadata = try RPCInput.metadata(invocation.all("metadata"))
    options.compression = invocation.isOn("gzip") ? .gzip : .identity
    options.carriesToken = !invocation.isOn("no-token")
    self.options = options
    hasOwnAuthorization = options.metadata["authorization"] != nil
  }

  private static func path(_ text: String) throws(ClientError) -> String {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let isVisible = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard parts.count == 3, parts[0].isEmpty, !parts[1].isEmpty, !parts[2].isEmpty, isVisible
    else { throw .usage("PATH must be /package.Service/Method") }
    return text
  }

  /// The bytes of a message; none for an empty text.
  ///
  /// - Throws: ``ClientError`` of code `invalidInput` for what are no pairs of digits.
  static func bytes(_ text: String, of source: String) throws(ClientError) -> [UInt8] {
    guard let bytes = Hexadecimal.bytes(text) else {
      throw ClientError(.invalidInput, "\(source) must be pairs of hexadecimal digits")
    }
    return bytes
  }

  private static func metadata(_ texts: [String]) throws(ClientError) -> GRPCMetadata {
    var metadata = GRPCMetadata()
    for text in texts {
      let (name, value) = try RequestInput.field(text, option: "metadata")
      do {
        try metadata.append(value, for: name)
      } catch {
        throw .usage("--metadata \(name): \(error)")
      }
    }
    return metadata
  }
}
