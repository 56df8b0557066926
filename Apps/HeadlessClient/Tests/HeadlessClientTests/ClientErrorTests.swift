import AuthNetworking
import GroupMessages
import SecureStorage
import SessionModels
import Testing

@testable import HeadlessClient

struct ClientErrorTests {
  @Test(arguments: [
    (ClientError.Code.usage, 64), (.invalidInput, 65), (.rejected, 69), (.notFound, 69),
    (.rpc, 69), (.storage, 74), (.vaultLocked, 74), (.vaultUnavailable, 74), (.wrongKey, 74),
    (.keyLost, 74), (.damaged, 74), (.tampered, 74), (.newerFormat, 74), (.network, 75),
    (.timeout, 75), (.tls, 75), (.pinMismatch, 75), (.server, 75), (.rateLimited, 75),
    (.notSignedIn, 77), (.invalidCredentials, 77), (.sessionEnded, 77), (.internal, 1),
    (.interrupted, 130),
  ]) func `Every code has its exit status`(code: ClientError.Code, status: Int) {
    #expect(ClientError(code, "x").exitStatus.rawValue == Int32(status))
  }

  @Test(arguments: AuthError.Code.allCases)
  func `Codes keep their names from package to command line`(code: AuthError.Code) {
    let error = ClientError(AuthError(code, "x"))
    switch code {
    case .cancelled: #expect(error.code == .interrupted)
    case .readOnly, .suspended: #expect(error.code == .internal)
    case .body: #expect(error.code == .invalidInput)
    case .file: #expect(error.code == .storage)
    default: #expect(error.code.rawValue == code.rawValue)
    }
  }

  @Test(arguments: [
    (
      SessionState.signedOut(.revoked),
      "The session has ended: the server revoked the session. Sign in with login"
    ),
    (
      .signedOut(.userRequested),
      "The session has ended: the user signed out. Sign in with login"
    ),
    (
      .signedOut(.never),
      "You were signed out, or another user signed in. status says who is signed in"
    ),
    (nil, "You were signed out, or another user signed in. status says who is signed in"),
  ])
  func `A session that went under a command is told with its reason`(
    state: SessionState?,
    text: String
  ) {
    let error = ClientError(MessageError.sessionChanged).explained(by: state)
    #expect(error.description == text)
    #expect(error.code == .sessionEnded)
    #expect(error.exitStatus == .notSignedIn)
    // What says more already stays as it is.
    let other = ClientError(.sessionEnded, "The session has ended (revoked)", advice: "Sign in")
    #expect(other.explained(by: state) == other)
  }

  @Test(arguments: StorageError.Code.allCases)
  func `A storage failure is 74 unless the caller was wrong or it passes by itself`(
    code: StorageError.Code
  ) {
    let error = ClientError(StorageError(code, "message", advice: "advice"))
    let expected: CommandStatus =
      switch code {
      case .invalidInput: .invalidInput
      case .otherVault: .usage
      case .busy: .temporary
      default: .storage
      }
    #expect(error.exitStatus == expected)
    // By whatever way it comes, and for who tries again by itself, too.
    let storageError = StorageError(code, "message", advice: "advice")
    let authError = AuthError(storageError)
    #expect(authError.isTemporary == (expected == .temporary))
    #expect(ClientError(authError).exitStatus == expected)
    #expect(ClientError(MessageError.storage(storageError)).exitStatus == expected)
    #expect(error.description == "message. advice")
  }

  @Test func `An error line has what cli.md names, and nothing that is not known`() {
    let plain = ErrorLine(ClientError(.network, "no route"), redactor: Redactor())
    #expect(plain.json.text == #"{"error":{"code":"network","message":"no route"}}"#)
    let full = ClientError(
      .rateLimited,
      "slow down",
      advice: "Wait",
      status: 429,
      fields: [.init(name: "email", message: "taken")],
      requestID: "r-1",
      retryAfter: 7
    )
    #expect(
      ErrorLine(full, redactor: Redactor()).json.text
        == #"{"error":{"code":"rateLimited","message":"slow down. Wait","status":429,"#
        + #""fields":{"email":"taken"},"requestID":"r-1","retryAfter":7}}"#
    )
  }

  @Test func `R9: a server that quotes a token does not get it printed`() {
    let secret = Secret("refresh-token-of-some-length")
    let error = ClientError(
      .rejected,
      "bad token refresh-token-of-some-length\u{1B}[2J",
      fields: [.init(name: "token", message: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln")]
    )
    let line = ErrorLine(error, redactor: Redactor([secret]))
    for text in [line.text, line.json.text] {
      #expect(!text.contains("refresh-token"))
      #expect(!text.contains("eyJzdWIiOiIxIn0"))
      #expect(!text.contains("\u{1B}"))
    }
  }

  @Test func `Seconds to wait are rounded up`() {
    #expect(ClientError.wholeSeconds(.milliseconds(1)) == 1)
    #expect(ClientError.wholeSeconds(.seconds(3)) == 3)
    #expect(ClientError.wholeSeconds(.milliseconds(3001)) == 4)
  }

  @Test func `Of many answers the worst is told by cli.md's order`() {
    let statuses: [CommandStatus] = [.refused, .temporary, .done, .notSignedIn, .storage]
    let worstFirst: [CommandStatus] = [.storage, .notSignedIn, .temporary, .refused, .done]
    #expect(statuses.sorted { $0.severity < $1.severity } == worstFirst)
  }
}
