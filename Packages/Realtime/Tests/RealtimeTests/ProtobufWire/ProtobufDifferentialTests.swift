import Foundation
import ProtobufWire
import Testing

/// What this codec takes, refuses and writes, against protobuf's own for the same contract.
@Suite(.timeLimit(.minutes(5))) struct ProtobufDifferentialTests {
  /// The encoding of what was read, "!" for bytes that are refused, and "!tag" for an impossible
  /// tag: protobuf passes over such tags within groups that it does not know.
  private static let codecs: [(name: String, recode: @Sendable ([UInt8]) -> String)] = [
    ("Message", { recode($0, Message.self) }), ("Event", { recode($0, Event.self) }),
    ("ClientFrame", { recode($0, ClientFrame.self) }),
    ("SubscribeRequest", { recode($0, SubscribeRequest.self) }),
    ("SendRequest", { recode($0, SendRequest.self) }), ("Typing", { recode($0, Typing.self) }),
    ("SessionRevoked", { recode($0, SessionRevoked.self) }),
  ]

  private static func recode<Message: ProtobufMessage>(
    _ bytes: [UInt8],
    _: Message.Type
  ) -> String {
    do throws(ProtobufError) {
      return hex(try Message(protobuf: bytes).protobuf)
    } catch {
      return error == .malformedTag ? "!tag" : "!"
    }
  }

  @Test func `protobuf takes and refuses the same, and reads the same from what was written`()
    async throws
  {
    let python = try await GRPCIOServer.python()
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("realtime-protobuf-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try Data(ProtobufScripts.contract.utf8)
      .write(to: directory.appendingPathComponent("realtime.proto"))
    var soup = ProtobufSoup(chance: SeededGenerator())
    var lines = ""
    let count = 20_000
    for index in 0..<count {
      let (name, recode) = Self.codecs[index % Self.codecs.count]
      let bytes = soup.perhapsBroken()
      lines += "\(name) \(Self.hex(bytes)) \(recode(bytes))\n"
    }
    let cases = directory.appendingPathComponent("cases")
    try Data(lines.utf8).write(to: cases)
    let output = Pipe()
    let process = try GRPCIO.start(
      python,
      ["-c", ProtobufScripts.comparison, directory.path],
      output: output
    )
    let said = await withCheckedContinuation { done in
      DispatchQueue.global().async {
        let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        done.resume(returning: String(decoding: data, as: UTF8.self))
      }
    }
    process.kill()
    let seed = SeededGenerator.seed
    #expect(said == "\(count) compared\n", "REALTIME_FUZZ_SEED=\(seed): \(said.prefix(2000))")
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.isEmpty
      ? "-"
      : bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
