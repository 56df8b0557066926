internal import AuthNetworking
internal import GroupMessages

extension MessageError {
  /// Whether it is certain that the server has not taken the message.
  var isWithoutEffect: Bool {
    switch self {
    case .underlying(let error as AuthError, _): error.isWithoutEffect
    // Too many requests: this one was not looked at.
    case .rejected(let rejection): rejection.status == 429
    default: false
    }
  }
}
