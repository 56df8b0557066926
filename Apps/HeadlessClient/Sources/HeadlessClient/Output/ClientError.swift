/// Why a command did not do what was asked: one line for people, a code for programs, a status
/// for the shell.
package struct ClientError: Error, Equatable, Sendable {
  /// What happened, for programs.
  package var code: Code
  /// What happened, for people; printed redacted.
  package var message: String
  /// What to do about it, for people; part of the printed message.
  package var advice: String?
  /// The server's HTTP status or, for `rpc`, its gRPC status.
  package var status: Int?
  /// What is wrong with each field, by its name on the wire, in the form's order.
  package var fields: [Field]
  /// The request that failed, to quote to the backend's operators.
  package var requestID: String?
  /// When the server wants to be asked again, in whole seconds.
  package var retryAfter: Int?
  /// The shell's status where the code alone does not give it.
  package var exitStatusOverride: CommandStatus?

  /// One field's message.
  package struct Field: Equatable, Sendable {
    /// The field's name on the wire.
    package var name: String
    /// What is wrong with it.
    package var message: String

    /// A field's message from its parts.
    package init(name: String, message: String) {
      self.name = name
      self.message = message
    }
  }

  /// What happened, for programs; the names stand in the error line.
  package enum Code: String, Sendable, CaseIterable {
    case usage, invalidInput, notSignedIn, invalidCredentials, sessionEnded, rejected, network
    case timeout, tls, pinMismatch, server, rateLimited, storage, vaultLocked, vaultUnavailable
    case wrongKey, keyLost, damaged, tampered, newerFormat, notFound, rpc
    case `internal`
    /// The user pressed Ctrl-C; never printed.
    case interrupted
  }

  /// An error from its parts.
  package init(
    _ code: Code,
    _ message: String,
    advice: String? = nil,
    status: Int? = nil,
    fields: [Field] = [],
    requestID: String? = nil,
    retryAfter: Int? = nil,
    exitStatus: CommandStatus? = nil
  ) {
    self.code = code
    self.message = message
    self.advice = advice
    self.status = status
    self.fields = fields
    self.requestID = requestID
    self.retryAfter = retryAfter
    exitStatusOverride = exitStatus
  }

  /// A command line that cannot be carried out.
  package static func usage(_ message: String, advice: String? = nil) -> ClientError {
    ClientError(.usage, message, advice: advice)
  }

  /// The status that the shell gets.
  package var exitStatus: CommandStatus {
    if let exitStatusOverride { return exitStatusOverride }
    return switch code {
    case .usage: .usage
    case .invalidInput: .invalidInput
    case .notSignedIn, .invalidCredentials, .sessionEnded: .notSignedIn
    case .rejected, .notFound, .rpc: .refused
    case .network, .timeout, .tls, .pinMismatch, .server, .rateLimited: .temporary
    case .storage, .vaultLocked, .vaultUnavailable, .wrongKey, .keyLost, .damaged, .tampered,
      .newerFormat:
      .storage
    case .internal: .defect
    case .interrupted: .interrupted
    }
  }
}

extension ClientError: CustomStringConvertible {
  /// Message, fields and advice in one line.
  package var description: String {
    var text = message
    if !fields.isEmpty {
      // What the message says already is not said again.
      let told = fields.map { message.contains($0.message) ? $0.name : "\($0.name): \($0.message)" }
      text += " (\(told.joined(separator: "; ")))"
    }
    if let advice { text += text.hasSuffix(".") ? " \(advice)" : ". \(advice)" }
    return text
  }
}
