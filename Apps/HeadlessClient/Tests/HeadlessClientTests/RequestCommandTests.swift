import AuthNetworking
import Testing

@testable import HeadlessClient

/// `request` with files and keys, in whole command lines.
struct RequestCommandTests {
  private let home = TemporaryDirectory()
  private let backend = FakeBackend()

  private func run(_ line: [String]) async -> (CommandStatus, MemoryStreams) {
    let streams = MemoryStreams()
    let environment = [
      "HEADLESS_CLIENT_HOME": home.path + "/home", "HEADLESS_CLIENT_JSON": "1",
      "HEADLESS_CLIENT_PASSWORD": "password-of-ada",
    ]
    let status = await streams.run(line, environment: environment, parts: backend.parts)
    return (status, streams)
  }

  private func signIn() async {
    _ = await run(["login", "ada@example.com", "--base-url", "http://127.0.0.1:1"])
  }

  @Test func `A file is sent as it is, and its type is the header's`() async throws {
    await signIn()
    backend.answer("/photos", 200, "{}")
    home.write("no JSON at all", to: "photo")
    let line = ["request", "PUT", "/photos", "--upload", home.path + "/photo"]
    #expect(await run(line).0 == .done)
    #expect(await run(line + ["--header", "Content-Type: image/png"]).0 == .done)
    let sent = backend.sent.suffix(2)
    #expect(sent.map(\.body) == [Array("no JSON at all".utf8), Array("no JSON at all".utf8)])
    #expect(
      sent.map { $0.headers["Content-Type"] } == ["application/octet-stream", "image/png"]
    )
  }

  @Test func `What cannot be sent or saved is said before the network`() async {
    await signIn()
    let count = backend.sent.count
    let file = home.path + "/photo"
    home.write("x", to: "photo")
    let lines: [([String], CommandStatus)] = [
      (["request", "PUT", "/photos", "--upload", home.path + "/missing"], .invalidInput),
      (["request", "PUT", "/photos", "--upload", home.path], .invalidInput),
      (["request", "PUT", "/photos", "--upload", file, "--data", "{}"], .usage),
      (["request", "GET", "/photos", "--output", file, "--repeat", "2"], .usage),
      (["request", "HEAD", "/photos", "--output", file], .usage),
      (["request", "GET", "/photos", "--output", ""], .usage),
      (["request", "POST", "/photos", "--idempotency-key", "a b"], .usage),
    ]
    for (line, status) in lines { #expect(await run(line).0 == status, "\(line)") }
    #expect(backend.sent.count == count)
  }

  @Test func `A 2xx answer goes into the file, and any other is printed`() async throws {
    await signIn()
    backend.answer("/photos", 200, "picture")
    let (status, streams) = await run(["request", "GET", "/photos", "--output", home.path + "/p"])
    #expect(status == .done)
    let result = try #require(JSONValue(parsing: streams.results.utf8))
    #expect(result["savedBytes"]?.number?.integer() == 7)
    #expect(result["output"]?.string == home.path + "/p")
    #expect(result["body"] == .object(JSONObject()))
    #expect(home.bytes(of: "p") == Array("picture".utf8))
    backend.answer("/photos", 404, #"{"error":"no picture"}"#)
    let (refused, others) = await run(["request", "GET", "/photos", "--output", home.path + "/p"])
    #expect(refused == .refused)
    #expect(JSONValue(parsing: others.results.utf8)?["body"]?["error"]?.string == "no picture")
    #expect(home.bytes(of: "p") == Array("picture".utf8))
  }

  @Test func `A key is the same for all, and auto makes one for each`() async {
    await signIn()
    backend.answer("/orders", 200, "{}")
    let line = ["request", "POST", "/orders", "--data", "{}", "--repeat", "3", "--idempotency-key"]
    _ = await run(line + ["order-17"])
    let given = backend.sent.suffix(3).map { $0.headers["Idempotency-Key"] }
    #expect(given == Array(repeating: "\"order-17\"", count: 3))
    _ = await run(line + ["auto"])
    #expect(Set(backend.sent.suffix(3).map { $0.headers["Idempotency-Key"] }).count == 3)
  }
}
