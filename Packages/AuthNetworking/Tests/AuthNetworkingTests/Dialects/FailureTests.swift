import AuthNetworking
import SecureStorage
import SessionModels
import Testing

@Suite struct FailureTests {
  private func failure(_ status: Int, _ body: String) -> AuthError {
    KSNAPI().failure(from: HTTPResponse(status: status, body: Array(body.utf8)))
  }

  @Test(
    arguments: [
      ("", "HTTP 400"),
      ("<html><body>Bad gateway</body></html>", "HTTP 400"),
      ("[]", "HTTP 400"),
      (#"{"error":"e","message":"m"}"#, "e"),
      (#"{"error":5,"message":"m"}"#, "m"),
      (#"{"error":null,"message":"m"}"#, "m"),
      (#"{"error":"","message":"m"}"#, "m"),
      (#"{"error":{"message":"inner"},"message":"m"}"#, "inner"),
      (#"{"error":{"message":1}}"#, "HTTP 400"),
      (#"{"error":true,"message":[]}"#, "HTTP 400"),
      (#"{"error":"two\nlines \u001b[31m\u009bred"}"#, "two lines [31m red"),
      (#"{"error":"half \ud83d pair"}"#, "half \u{FFFD} pair"),
    ]
  )
  func `the error text is error, else message, else the status`(body: String, text: String) {
    #expect(failure(400, body).message == text)
  }

  @Test func `an endless error text is cut`() {
    let text = String(repeating: "x", count: 100_000)
    #expect(failure(400, #"{"error":"\#(text)"}"#).message.count == 500)
  }

  @Test(
    arguments: [
      (400, AuthError.Code.rejected), (401, .rejected), (403, .rejected), (404, .rejected),
      (408, .timeout), (422, .rejected), (429, .rateLimited), (499, .rejected), (500, .server),
      (503, .server), (599, .server), (302, .server), (600, .rejected),
    ]
  )
  func `the status decides the code`(status: Int, code: AuthError.Code) {
    #expect(failure(status, "").code == code)
    #expect(failure(status, "").status == status)
  }

  @Test(
    arguments: [
      #"{"fields":{"email":"bad","username":"short"}}"#,
      #"{"details":{"email":["bad","worse"],"username":{"message":"short"}}}"#,
      #"{"details":[{"field":"email","message":"bad"},{"field":"username","message":"short"}]}"#,
      #"{"errors":[{"path":["body","email"],"msg":"bad"},{"param":"username","msg":"short"}]}"#,
      #"{"error":{"message":"m","fields":{"email":"bad","username":"short"}}}"#,
      #"{"fields":{},"details":[{"path":"email","message":"bad"},{"name":"username","error":"short"}]}"#,
      #"{"fields":[{"field":"email","message":"bad"},{"field":"email","message":"2nd"},7,null,{},"#
        + #"{"field":"username","reason":"short"}]}"#,
    ]
  )
  func `field errors are read in every form`(body: String) {
    #expect(failure(400, body).fields == ["email": "bad", "username": "short"])
  }

  @Test(
    arguments: [
      #"{"fields":null}"#, #"{"fields":"email"}"#, #"{"details":[1,[2],null]}"#,
      #"{"fields":{"email":null,"x":{},"y":[],"z":""}}"#, #"{"details":[{"field":""}]}"#,
    ]
  )
  func `what says nothing about a field is none`(body: String) {
    #expect(failure(400, body).fields.isEmpty)
  }

  @Test func `R9: an error that quotes a token shows no more than its end`() {
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijklmnop"
    let error = failure(
      401,
      #"{"error":"Bad token \#(jwt) (Bearer opaque-secret-0123456789)","fields":{"t":"\#(jwt)"}}"#
    )
    #expect(error.message == "Bad token …klmnop (Bearer …456789)")
    #expect(error.fields == ["t": "…klmnop"])
  }

  @Test(arguments: [
    ("bad token Zx9c30a6ab4b5664888a41f887cb6ea2Qq", "bad token …6ea2Qq"),
    ("session ses_8W9gHNSDS1PZVA2jh9r is over", "session …A2jh9r is over"),
    ("oNfmQlWt22dw3Z0paqmTIP1LX-oMWym6YgSTc3-WLuw", "…3-WLuw"),
    ("request 548e8de1-082e-413b-87fa-6f3b6ea35956", nil),
    ("E_VALIDATION_FAILED_FIELD_12345678 since 2026-11-30T11:08:23.814Z", nil),
    ("user-not-found-in-directory-2 of api-3.example.org", nil),
    ("donaudampfschifffahrtsgesellschaftskapitaen", nil),
  ])
  func `R9: what looks like somebody's opaque token is cut, what does not is kept`(
    said: String,
    shown: String?
  ) {
    let error = failure(500, #"{"error":"\#(said)","fields":{"x":"\#(said)"}}"#)
    #expect(error.message == shown ?? said)
    #expect(error.fields == ["x": shown ?? said])
  }

  @Test func `R9: a name of a field that quotes a token shows no more than its end`() {
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijklmnop"
    let known = "known-0123456789abcdef"
    let error = failure(400, #"{"fields":{"\#(jwt)":"bad","\#(known)":"worse","e\nmail":"x"}}"#)
      .redacted(by: Redactor([Secret(known)]))
    #expect(error.fields == ["…klmnop": "bad", "…abcdef": "worse", "e mail": "x"])
  }

  @Test(
    arguments: [
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijklmnop",
      "rt_Zx9c30a6ab4b5664888a41f887cb6ea2Qq",
      "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
      "a secret (of several words), with signs: 0123456789",
      String(repeating: "endless", count: 200),
    ],
    ["message", "field", "name"]
  )
  func `R9: where a long text is cut, no beginning of a token is left`(
    secret: String,
    place: String
  ) {
    let redactor = Redactor([Secret(secret)])
    for length in stride(from: 430, through: 505, by: 1) {
      let filler = String(String(repeating: "w ", count: 300).prefix(length))
      let said = filler + secret + " was refused"
      let body =
        switch place {
        case "message": #"{"error":"\#(said)"}"#
        case "field": #"{"fields":{"x":"\#(said)"}}"#
        default: #"{"fields":{"\#(said)":"x"}}"#
        }
      let error = failure(400, body).redacted(by: redactor)
      let texts = [error.message] + error.fields.keys + error.fields.values
      for text in texts {
        #expect(text.count <= 500)
        #expect(!text.contains(secret.prefix(4)), "\(length): \(text.suffix(60))")
      }
    }
  }

  @Test func `R9: known secrets are taken out of every text`() {
    let error = AuthError(
      .rejected,
      "refresh-0123456789abcdef and Pass1 and refresh-0123456789abcdef",
      fields: ["password": "Pass1 is weak"]
    )
    let redactor = Redactor([Secret("Pass1"), Secret("refresh-0123456789abcdef"), Secret("")])
    let redacted = error.redacted(by: redactor)
    #expect(redacted.message == "…abcdef and <redacted> and …abcdef")
    #expect(redacted.fields == ["password": "<redacted> is weak"])
  }

  @Test func `a redactor may leave what it does not know`() {
    let text = "eyJhbGciOiJIUzI1NiJ9.x Bearer abcdefghijkl"
    #expect(Redactor(cutsUnknownTokens: false).redact(text) == text)
    #expect(Redactor().redact("token=\(text)") == "token=…NiJ9.x Bearer <redacted>")
    #expect(Redactor().redact("a bearer of news, eyJ") == "a bearer of news, eyJ")
  }

  @Test func `transport, storage and input errors keep what they say`() {
    #expect(AuthError(TransportError(.pinMismatch, "m"), requestID: "id").requestID == "id")
    #expect(AuthError(TransportError(.responseTooLarge, "m")).code == .rejected)
    for code in TransportError.Code.allCases {
      let isTemporary = [.network, .timeout, .tls, .pinMismatch].contains(code)
      #expect(AuthError(TransportError(code, "m")).isTemporary == isTemporary)
    }
    let storage = StorageError(.vaultLocked, "locked", advice: "unlock")
    #expect(AuthError(storage).storageError == storage)
    let input = AuthError(ValidationError(.identifier, .invalidEmail), dialect: SkyConnectAPI())
    #expect(input.code == .invalidInput)
    #expect(input.fields == ["email": "Invalid email address"])
    #expect(AuthError.sessionEnded(.revoked).signOutReason == .revoked)
  }
}
