import AuthNetworking
import GRPC
import SessionModels
import Testing

@testable import HeadlessClient

struct RPCOutcomeTests {
  @Test(arguments: GRPCStatus.Code.allCases.filter { $0 != .ok })
  func `4 and 14 are temporary, every other status is a refusal`(code: GRPCStatus.Code) {
    let outcome = RPCOutcome(GRPCError(GRPCStatus(code, "x")), wasSent: true)
    let isTemporary = code == .deadlineExceeded || code == .unavailable
    #expect(outcome.failure?.exitStatus == (isTemporary ? .temporary : .refused))
    #expect(outcome.failure?.code == .rpc)
    #expect(outcome.failure?.status == code.rawValue)
    #expect(outcome.wasCalled)
  }

  @Test func `A connection that could not be made says why`() {
    for (cause, code) in [
      (GRPCError.Cause.network, ClientError.Code.network), (.tls, .tls),
      (.pinMismatch, .pinMismatch),
    ] {
      let error = GRPCError(GRPCStatus(.unavailable, "x"), cause: cause)
      #expect(RPCOutcome(error, wasSent: false).failure?.code == code)
      #expect(RPCOutcome(error, wasSent: false).failure?.exitStatus == .temporary)
    }
  }

  @Test func `A session that has ended prints a status only where a call was made`() {
    var error = GRPCError(GRPCStatus(.unauthenticated, "x"))
    error.tokenError = AuthError.sessionEnded(.revoked)
    #expect(!RPCOutcome(error, wasSent: false).wasCalled)
    #expect(RPCOutcome(error, wasSent: true).wasCalled)
    #expect(RPCOutcome(error, wasSent: true).failure?.exitStatus == .notSignedIn)
  }

  @Test func `A token that could not be had for now is status 14`() {
    var error = GRPCError(GRPCStatus(.unauthenticated, "x"))
    error.tokenError = AuthError(.network, "no route")
    let outcome = RPCOutcome(error, wasSent: false)
    #expect(outcome.status.code == .unavailable)
    #expect(outcome.failure?.exitStatus == .temporary)
  }

  @Test func `Metadata are lists of strings, binary values base64 without padding`() throws {
    var metadata = GRPCMetadata()
    try metadata.append("1", for: "a")
    try metadata.append("2", for: "a")
    try metadata.append([0, 1], for: "b-bin")
    let report = RPCReport(
      RPCOutcome(metadata: metadata, trailers: GRPCMetadata()),
      redactor: Redactor()
    )
    #expect(
      report.json.text
        == #"{"status":0,"statusName":"OK","statusMessage":"","#
        + #""metadata":{"a":["1","2"],"b-bin":["AAE"]},"trailers":{}}"#
    )
  }

  @Test(arguments: [
    ("http://127.0.0.1:2", "http://127.0.0.1:2", true),
    ("http://127.0.0.1:3", "http://127.0.0.1:2", false),
    ("http://localhost:2", "http://127.0.0.1:2", false),
    ("http://127.0.0.1:3", nil, true), ("http://localhost:3", nil, false),
  ]) func `R8: the token goes to the endpoint of the sign-in only`(
    url: String,
    remembered: String?,
    isTrusted: Bool
  ) throws {
    let found = RealtimeTrust.isTrusted(
      try HTTPURL(parsing: url),
      remembered: try remembered.map { try HTTPURL(parsing: $0) },
      backend: try HTTPURL(parsing: "http://127.0.0.1:1")
    )
    #expect(found == isTrusted)
  }

  @Test func `R8: a token that came over TLS goes to no plain endpoint`() throws {
    let isTrusted = RealtimeTrust.isTrusted(
      try HTTPURL(parsing: "http://localhost:2"),
      remembered: nil,
      backend: try HTTPURL(parsing: "https://localhost:1")
    )
    #expect(!isTrusted)
  }
}
