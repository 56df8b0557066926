import GRPC
import Testing

@testable import HeadlessClient

struct RPCInputTests {
  private func input(_ line: String...) throws -> RPCInput {
    let parser = ArgumentParser(
      commands: CommandTable.all.map { $0.spec },
      globals: GlobalOptions.all
    )
    return try RPCInput(parser.parse(["rpc"] + line, environment: [:]))
  }

  @Test func `Without a message option one empty message is sent`() throws {
    #expect(try input("/a.B/C").messages == [[]])
    #expect(try input("/a.B/C", "--message-hex", "00fFa0").messages == [[0, 255, 160]])
  }

  @Test func `Several messages are sent in their order, and the input's follow`() throws {
    let several = try input("/a.B/C", "--message-hex", "00", "--message-hex", "")
    #expect(several.messages == [[0], []] && !several.readsInput)
    let streamed = try input("/a.B/C", "--messages", "-", "--message-hex", "01")
    #expect(streamed.messages == [[1]] && streamed.readsInput)
    #expect(try input("/a.B/C", "--messages", "-").messages.isEmpty)
  }

  @Test func `Messages come from standard input only`() {
    let error = #expect(throws: ClientError.self) { try input("/a.B/C", "--messages", "file") }
    #expect(error?.exitStatus == .usage)
  }

  @Test(arguments: ["0", "0g", "0x00", "00 00", "ä0"])
  func `Bad hexadecimal digits are 65`(text: String) {
    let error = #expect(throws: ClientError.self) {
      try input("/a.B/C", "--message-hex", text)
    }
    #expect(error?.exitStatus == .invalidInput)
  }

  @Test(arguments: ["a.B/C", "/a.B", "/a.B/", "//C", "/a/b/c", "/a.B/C D", "", "/"])
  func `A path that is no method is 64`(path: String) {
    let error = #expect(throws: ClientError.self) { try input(path) }
    #expect(error?.exitStatus == .usage)
  }

  @Test func `Binary metadata is taken with and without padding`() throws {
    let metadata = try input(
      "/a.B/C",
      "--metadata",
      "x-bin: AAE=",
      "--metadata",
      "x-bin:AAE",
      "--metadata",
      "y: z"
    ).options.metadata
    #expect(metadata.binaries("x-bin") == [[0, 1], [0, 1]])
    #expect(metadata["y"] == "z")
  }

  @Test(arguments: ["x", ": y", "x-bin: ?", "x: \u{7F}", "gr pc: y"])
  func `Metadata that cannot be sent is 64`(text: String) {
    let error = #expect(throws: ClientError.self) { try input("/a.B/C", "--metadata", text) }
    #expect(error?.exitStatus == .usage)
  }

  @Test func `An own authorization takes the token's place`() throws {
    #expect(try input("/a.B/C", "--metadata", "Authorization: Basic x").hasOwnAuthorization)
    #expect(try !input("/a.B/C").hasOwnAuthorization)
  }

  @Test func `Bytes come back from their digits`() {
    let bytes = (0...255).map { UInt8($0) }
    #expect(Hexadecimal.bytes(Hexadecimal.text(bytes)) == bytes)
  }
}
