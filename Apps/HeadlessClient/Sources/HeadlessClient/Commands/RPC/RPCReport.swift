internal import AuthNetworking
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import GRPC

/// The last line of `rpc`: how the call ended.
struct RPCReport {
  private let outcome: RPCOutcome
  private let redactor: Redactor

  init(_ outcome: RPCOutcome, redactor: Redactor) {
    self.outcome = outcome
    self.redactor = redactor
  }

  /// The line for programs, as cli.md has it.
  var json: JSONValue {
    .members([
      "status": .integer(outcome.status.code.rawValue),
      "statusName": .string("\(outcome.status.code)"),
      "statusMessage": .string(redactor.redact(outcome.status.message)),
      "metadata": json(outcome.metadata),
      "trailers": json(outcome.trailers),
    ])
  }

  /// The lines for people.
  var text: String {
    let status = "\(outcome.status.code) (\(outcome.status.code.rawValue))"
    var rows = [("Status", status)]
    if !outcome.status.message.isEmpty {
      rows.append(("Message", redactor.redact(outcome.status.message)))
    }
    rows += (outcome.metadata.entries + outcome.trailers.entries).map { ($0.name, text($0.value)) }
    return Rows.text(rows)
  }

  private func json(_ metadata: GRPCMetadata) -> JSONValue {
    var object = JSONObject()
    for entry in metadata.entries {
      let earlier = object[entry.name]?.array ?? []
      object[entry.name] = .array(earlier + [.string(text(entry.value))])
    }
    return .object(object)
  }

  private func text(_ value: GRPCMetadata.Value) -> String {
    switch value {
    case .text(let text): redactor.redact(text)
    // Unpadded, as gRPC itself sends it.
    case .binary(let bytes): String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }
  }
}
