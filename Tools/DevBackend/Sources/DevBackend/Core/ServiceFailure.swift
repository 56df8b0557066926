/// What is wrong with one field of a request, under its name on the wire.
struct FieldFault: Equatable, Sendable {
  let field: String
  let message: String
}

/// A request that is not served, in no dialect's words yet.
enum ServiceFailure: Error, Equatable, Sendable {
  /// It is no JSON object, for the reason of its encoding or for another.
  case malformedBody(TextEncodingFault?)
  /// Where the body ends is said in two ways, or in none that is understood.
  case ambiguousFraming(RequestFraming.Fault)
  case validation([FieldFault])
  case invalidAge(field: String)
  /// The e-mail address or the name is taken.
  case conflict(String)
  /// Wrong password and unknown user alike.
  case invalidCredentials
  case unauthorized(TokenFault)
  case refreshRefused(TokenFamily.Refusal)
  /// Opaque sessions are not refreshed.
  case refreshUnsupported
  case notFound(String)
  case methodNotAllowed([String])
  case payloadTooLarge(limit: Int)
  /// Too many wrong passwords; in seconds.
  case tooManyAttempts(retryAfter: Int64)
  case unavailable
  case internalFault

  /// Why a bearer token is not accepted.
  enum TokenFault: Equatable, Sendable {
    case missing
    case invalid
    case expired
    case revoked(RevocationReason)
  }
}

extension ServiceFailure {
  var status: Int {
    switch self {
    case .malformedBody, .ambiguousFraming, .validation, .refreshUnsupported: 400
    case .invalidCredentials, .unauthorized, .refreshRefused: 401
    case .notFound: 404
    case .methodNotAllowed: 405
    case .conflict: 409
    case .payloadTooLarge: 413
    case .invalidAge: 422
    case .tooManyAttempts: 429
    case .internalFault: 500
    case .unavailable: 503
    }
  }

  /// For programs; the same in both dialects.
  var code: String {
    switch self {
    case .malformedBody: "malformed_json"
    case .ambiguousFraming: "ambiguous_framing"
    case .validation: "validation_failed"
    case .invalidAge: "INVALID_AGE"
    case .conflict(let field): "\(field)_taken"
    case .invalidCredentials: "invalid_credentials"
    case .unauthorized(.missing): "missing_token"
    case .unauthorized(.invalid): "invalid_token"
    case .unauthorized(.expired): "token_expired"
    case .unauthorized(.revoked(let reason)): reason.code
    case .refreshRefused(.unknownToken): "invalid_grant"
    case .refreshRefused(.expired): "refresh_expired"
    case .refreshRefused(.revoked(let reason)): reason.code
    case .refreshUnsupported: "refresh_not_supported"
    case .notFound: "not_found"
    case .methodNotAllowed: "method_not_allowed"
    case .payloadTooLarge: "payload_too_large"
    case .tooManyAttempts: "too_many_attempts"
    case .unavailable: "unavailable"
    case .internalFault: "internal"
    }
  }

  /// For the log, where the code says less; nothing that a client sent.
  var reason: String {
    guard case .ambiguousFraming(let fault) = self else { return code }
    return fault.rawValue
  }

  /// For people.
  var message: String {
    switch self {
    case .malformedBody(let fault): fault?.advice ?? "The body must be a JSON object in UTF-8"
    case .ambiguousFraming(let fault): fault.advice
    case .validation(let faults): faults.map(\.message).joined(separator: "; ")
    case .invalidAge: "You must be between 13 and 25 years old"
    case .conflict("email"): "This email address is already registered"
    case .conflict: "This username is already taken"
    case .invalidCredentials: "Invalid credentials"
    case .unauthorized(.missing): "Send an access token as 'Authorization: Bearer …'"
    case .unauthorized(.invalid): "The access token is not valid"
    case .unauthorized(.expired): "The access token has expired"
    case .unauthorized(.revoked(let reason)): reason.message
    case .refreshRefused(.unknownToken): "The refresh token is not valid"
    case .refreshRefused(.expired): "The refresh token has expired; sign in again"
    case .refreshRefused(.revoked(let reason)): reason.message
    case .refreshUnsupported: "Opaque sessions are not refreshed; sign in again"
    case .notFound(let what): "No such \(what)"
    case .methodNotAllowed(let methods): "Use \(methods.joined(separator: " or "))"
    case .payloadTooLarge(let limit): "The body is larger than \(limit) bytes"
    case .tooManyAttempts(let seconds): "Too many attempts; try again in \(seconds) s"
    case .unavailable: "Busy; try again in a moment"
    case .internalFault: "Something went wrong on the server"
    }
  }

  /// What is wrong, by field.
  var fields: [FieldFault] {
    switch self {
    case .validation(let faults): faults
    case .invalidAge(let field), .conflict(let field): [FieldFault(field: field, message: message)]
    default: []
    }
  }

  /// Headers that the status asks for.
  var headers: [HTTPHeader] {
    switch self {
    // RFC 6750: what is wrong with a token that was sent, and nothing where none was.
    case .unauthorized(.missing): [HTTPHeader("WWW-Authenticate", "Bearer")]
    case .unauthorized: [HTTPHeader("WWW-Authenticate", "Bearer error=\"invalid_token\"")]
    case .methodNotAllowed(let methods): [HTTPHeader("Allow", methods.joined(separator: ", "))]
    case .ambiguousFraming: [HTTPHeader("Connection", "close")]
    case .unavailable: [HTTPHeader("Retry-After", "1")]
    case .tooManyAttempts(let seconds): [HTTPHeader("Retry-After", "\(seconds)")]
    default: []
    }
  }
}

extension RevocationReason {
  /// What a client is told; a logout is a revocation to whoever else holds the token.
  var code: String { self == .loggedOut ? RevocationReason.revoked.rawValue : rawValue }

  /// The same for people.
  var message: String {
    switch self {
    case .loggedOut, .revoked: "The session was revoked; sign in again"
    case .reuseDetected: "A refresh token was used twice, so the session was ended; sign in again"
    case .deviceMismatch: "The session belongs to another device and was ended; sign in again"
    }
  }
}
