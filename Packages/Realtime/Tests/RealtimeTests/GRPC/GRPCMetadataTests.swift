import HTTP2
import Testing

@testable import GRPC

@Suite struct GRPCMetadataTests {
  @Test func `names are lower case, and repeats keep their order`() throws {
    var metadata = GRPCMetadata()
    try metadata.append("1", for: "X-Key")
    try metadata.append(" 2 ", for: "x-key")
    #expect(metadata.texts("X-KEY") == ["1", "2"])
    #expect(metadata["x-key"] == "1")
  }

  @Test func `binary values go as base64 without padding`() throws {
    var metadata = GRPCMetadata()
    try metadata.append([1], for: "k-bin")
    try metadata.append("AQ==", for: "k-bin")
    #expect(metadata.headers == [HTTP2Header("k-bin", "AQ"), HTTP2Header("k-bin", "AQ")])
    #expect(metadata.binaries("k-bin") == [[1], [1]])
  }

  @Test func `binary values that came joined by commas are taken apart`() {
    let metadata = GRPCMetadata([HTTP2Header("k-bin", "AQ==, Ag,AwQ")])
    #expect(metadata.binaries("k-bin") == [[1], [2], [3, 4]])
  }

  @Test(arguments: [
    ("", GRPCMetadataError.illegalName("")), ("a b", .illegalName("a b")),
    (":path", .illegalName(":path")), ("grpc-status", .reservedName("grpc-status")),
    ("Content-Type", .reservedName("content-type")), ("ä", .illegalName("ä")),
  ])
  func `a name that may not be sent is refused`(name: String, error: GRPCMetadataError) {
    var metadata = GRPCMetadata()
    #expect(throws: error) { try metadata.append("v", for: name) }
  }

  @Test func `a value that would break the header is refused`() {
    var metadata = GRPCMetadata()
    #expect(throws: GRPCMetadataError.unprintable(name: "k")) {
      try metadata.append("a\r\nb: c", for: "k")
    }
    #expect(throws: GRPCMetadataError.malformedBase64(name: "k-bin")) {
      try metadata.append("!", for: "k-bin")
    }
    #expect(throws: GRPCMetadataError.notBinary(name: "k")) {
      try metadata.append([1], for: "k")
    }
  }

  @Test func `R9: no description or dump of metadata shows the token`() throws {
    var metadata = GRPCMetadata()
    try metadata.append("Bearer very-secret-token", for: "authorization")
    var dumped = ""
    dump(metadata, to: &dumped)
    #expect(!dumped.contains("very-secret"))
    #expect(!"\(metadata)".contains("very-secret"))
    #expect(!String(reflecting: metadata).contains("very-secret"))
  }

  @Test func `protocol fields are no metadata`() {
    let headers = [
      HTTP2Header(":status", "200"), HTTP2Header("content-type", "application/grpc"),
      HTTP2Header("grpc-status", "0"), HTTP2Header("grpc-message", "m"), HTTP2Header("x", "1"),
    ]
    #expect(GRPCMetadata(headers).entries.map(\.name) == ["x"])
  }
}
