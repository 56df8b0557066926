/// What each exit status says, as help and the manual list it.
enum ExitStatusTable {
  /// The statuses and when they occur, by number.
  static let rows: [(CommandStatus, String)] = [
    (.done, "done"),
    (.defect, "a defect of the client itself"),
    (.usage, "the command line is wrong: words, options, and the values that options take"),
    (.invalidInput, "the input is invalid: what is to be sent, stored or signed in with"),
    (.refused, "the server refused the request, or nothing of that name is there"),
    (.storage, "storage or vault failed, or the vault is locked"),
    (
      .temporary,
      "temporary: no network, a time-out, TLS, a pin, a busy lock, or the server's trouble; try later"
    ),
    (.notSignedIn, "not signed in, wrong credentials, or the session has ended: sign in"),
    (.interrupted, "interrupted"),
  ]
}
