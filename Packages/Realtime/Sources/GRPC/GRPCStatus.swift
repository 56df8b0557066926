/// How a call ended: a code of gRPC, and a text for people.
public struct GRPCStatus: Error, Hashable, Sendable {
  /// The codes of gRPC, by their numbers on the wire.
  public enum Code: Int, CaseIterable, Hashable, Sendable {
    /// Done.
    case ok = 0

    /// The caller went away.
    case cancelled = 1

    /// Something else; also any number outside 0 to 16.
    case unknown = 2

    /// The request makes no sense, whatever the state of the server.
    case invalidArgument = 3

    /// The time that the caller gave is over.
    case deadlineExceeded = 4

    /// There is no such thing.
    case notFound = 5

    /// It is there already.
    case alreadyExists = 6

    /// This caller may not.
    case permissionDenied = 7

    /// A limit is reached.
    case resourceExhausted = 8

    /// Not in this state.
    case failedPrecondition = 9

    /// A concurrent change won.
    case aborted = 10

    /// Past the end.
    case outOfRange = 11

    /// The server does not know the method.
    case unimplemented = 12

    /// Someone broke the protocol.
    case internalError = 13

    /// The service cannot be reached now.
    case unavailable = 14

    /// Data was lost.
    case dataLoss = 15

    /// The credentials are missing or refused.
    case unauthenticated = 16
  }

  /// The code.
  public let code: Code

  /// A text for people; may be empty.
  public let message: String

  /// A status from a code and a text.
  public init(_ code: Code, _ message: String = "") {
    self.code = code
    self.message = message
  }

  /// Done.
  public static let ok = GRPCStatus(.ok)
}

extension GRPCStatus.Code: CustomStringConvertible {
  /// The name in gRPC's documents, such as `NOT_FOUND`.
  public var description: String {
    switch self {
    case .ok: "OK"
    case .cancelled: "CANCELLED"
    case .unknown: "UNKNOWN"
    case .invalidArgument: "INVALID_ARGUMENT"
    case .deadlineExceeded: "DEADLINE_EXCEEDED"
    case .notFound: "NOT_FOUND"
    case .alreadyExists: "ALREADY_EXISTS"
    case .permissionDenied: "PERMISSION_DENIED"
    case .resourceExhausted: "RESOURCE_EXHAUSTED"
    case .failedPrecondition: "FAILED_PRECONDITION"
    case .aborted: "ABORTED"
    case .outOfRange: "OUT_OF_RANGE"
    case .unimplemented: "UNIMPLEMENTED"
    case .internalError: "INTERNAL"
    case .unavailable: "UNAVAILABLE"
    case .dataLoss: "DATA_LOSS"
    case .unauthenticated: "UNAUTHENTICATED"
    }
  }
}

extension GRPCStatus: CustomStringConvertible {
  /// Code and text.
  public var description: String { message.isEmpty ? "\(code)" : "\(code): \(message)" }
}
