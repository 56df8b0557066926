import HTTP2
import Testing

@testable import GRPC

@Suite struct ResponseMachineTests {
  private static let ok = [
    HTTP2Header(":status", "200"), HTTP2Header("content-type", "application/grpc+proto"),
    HTTP2Header("x-first", "1"),
  ]

  private func answered(
    _ headers: [HTTP2Header],
    endStream: Bool = false,
    trailers: [HTTP2Header]? = nil,
    isWithinMessage: Bool = false
  ) -> ResponseMachine {
    var machine = ResponseMachine()
    machine.receive(
      headers,
      kind: .response,
      endStream: endStream,
      isWithinMessage: isWithinMessage
    )
    if let trailers {
      machine.receive(trailers, kind: .trailers, endStream: true, isWithinMessage: isWithinMessage)
    }
    return machine
  }

  @Test func `status, metadata and trailers of an ordinary answer`() throws {
    let trailers = [
      HTTP2Header("grpc-status", "5"), HTTP2Header("grpc-message", "n%C3%B6"),
      HTTP2Header("x-last", "2"),
    ]
    let outcome = try #require(answered(Self.ok, trailers: trailers).outcome)
    #expect(outcome.status == GRPCStatus(.notFound, "nö"))
    #expect(outcome.metadata["x-first"] == "1")
    #expect(outcome.trailers["x-last"] == "2")
  }

  @Test func `all metadata of a trailers-only answer are trailers`() throws {
    let headers = Self.ok + [HTTP2Header("grpc-status", "16")]
    let outcome = try #require(answered(headers, endStream: true).outcome)
    #expect(outcome.status.code == .unauthenticated)
    #expect(outcome.metadata.isEmpty)
    #expect(outcome.trailers["x-first"] == "1")
  }

  @Test(arguments: [
    (400, GRPCStatus.Code.internalError), (401, .unauthenticated), (403, .permissionDenied),
    (404, .unimplemented), (429, .unavailable), (502, .unavailable), (503, .unavailable),
    (504, .unavailable), (500, .unknown), (302, .unknown), (418, .unknown),
  ])
  func `an HTTP status becomes a status by gRPC's table`(http: Int, code: GRPCStatus.Code) throws {
    let headers = [HTTP2Header(":status", "\(http)"), HTTP2Header("content-type", "text/html")]
    let status = try #require(answered(headers).outcome?.status)
    #expect(status.code == code)
    #expect(status.message.contains("\(http)") && status.message.contains("text/html"))
  }

  @Test func `a page with 200 says what came`() throws {
    let headers = [HTTP2Header(":status", "200"), HTTP2Header("content-type", "text/html")]
    let status = try #require(answered(headers).outcome?.status)
    #expect(status.code == .unknown)
    #expect(status.message.contains("text/html"))
  }

  @Test(arguments: ["17", "-1", "x", "", "99999999999999999999"])
  func `a number outside 0 to 16 is UNKNOWN and stands in the message`(number: String) throws {
    let trailers = [HTTP2Header("grpc-status", number)]
    let status = try #require(answered(Self.ok, trailers: trailers).outcome?.status)
    #expect(status.code == .unknown)
    #expect(status.message.contains(number))
  }

  @Test func `trailers without a status are UNKNOWN`() throws {
    let status = try #require(answered(Self.ok, trailers: []).outcome?.status)
    #expect(status.code == .unknown)
  }

  @Test(arguments: [
    (["0", "0"], GRPCStatus.Code.ok), (["0", "7"], .permissionDenied),
    (["7", "0"], .permissionDenied), (["5", "7"], .permissionDenied),
    (["0", "7", "0"], .permissionDenied),
    (["0", "x"], .unknown), (["x", "0"], .unknown), (["0, 7"], .unknown), (["0", "99"], .unknown),
  ])
  func `of a repeated status the last failure counts, and an error never becomes OK`(
    numbers: [String],
    code: GRPCStatus.Code
  ) throws {
    let fields = numbers.map { HTTP2Header("grpc-status", $0) }
    #expect(answered(Self.ok, trailers: fields).outcome?.status.code == code)
    #expect(answered(Self.ok + fields, endStream: true).outcome?.status.code == code)
    let messages = numbers.indices.map { HTTP2Header("grpc-message", "m\($0)") }
    let told = try #require(answered(Self.ok, trailers: fields + messages).outcome?.status)
    #expect(told.code == code)
    if numbers == ["7", "0"] { #expect(told.message == "m0") }
    if numbers == ["0", "7"] { #expect(told.message == "m1") }
  }

  @Test func `OK within a message is no OK, another status stands`() throws {
    let ok = [HTTP2Header("grpc-status", "0")]
    let half = answered(Self.ok, trailers: ok, isWithinMessage: true)
    #expect(half.outcome?.status.code == .internalError)
    let failed = [HTTP2Header("grpc-status", "9")]
    let other = answered(Self.ok, trailers: failed, isWithinMessage: true)
    #expect(other.outcome?.status.code == .failedPrecondition)
  }

  @Test func `an answer that ends without trailers has no status`() {
    var machine = answered(Self.ok)
    machine.ended(isWithinMessage: false)
    #expect(machine.outcome?.status.code == .unknown)
  }

  @Test(arguments: [
    (HTTP2ErrorCode.noError, GRPCStatus.Code.internalError), (.protocolError, .internalError),
    (.cancel, .cancelled), (.enhanceYourCalm, .resourceExhausted),
    (.inadequateSecurity, .permissionDenied), (HTTP2ErrorCode(rawValue: 999), .internalError),
  ])
  func `a reset becomes a status by gRPC's table`(code: HTTP2ErrorCode, status: GRPCStatus.Code) {
    var machine = answered(Self.ok)
    machine.closed(.reset(code, remotely: true))
    #expect(machine.outcome?.status.code == status)
    #expect(machine.outcome?.unprocessed == nil)
  }

  @Test func `a reset after the trailers hides nothing`() {
    var machine = answered(Self.ok, trailers: [HTTP2Header("grpc-status", "0")])
    machine.closed(.reset(.noError, remotely: true))
    #expect(machine.outcome?.status == .ok)
  }

  @Test func `what has begun was processed, whatever the server says`() {
    var begun = answered(Self.ok)
    begun.closed(.unprocessed("refused", wasSent: true))
    #expect(begun.outcome?.unprocessed == nil)
    var unbegun = ResponseMachine()
    unbegun.closed(.unprocessed("refused", wasSent: true))
    #expect(unbegun.outcome?.unprocessed == .refused)
    #expect(unbegun.outcome?.status.code == .unavailable)
  }

  @Test func `103 before 200 is passed over`() {
    var machine = ResponseMachine()
    machine.receive(
      [HTTP2Header(":status", "103")],
      kind: .informational,
      endStream: false,
      isWithinMessage: false
    )
    #expect(machine.outcome == nil && !machine.hasBegun)
  }
}
