internal import SecureStorage
internal import SessionModels

/// The answer to a sign-in, judged by the server's clock as it comes.
struct ReceivedSignIn {
  /// Its access token; nil where it brings none.
  let token: ReceivedToken?
  /// What to store of the server's clock beside it.
  let clockOffset: Double?
  /// The same by the time that the device has been running.
  let clockAnchor: ServerClockAnchor?

  /// Judges an answer.
  ///
  /// - Parameters:
  ///   - answer: what the server said.
  ///   - generation: that of the session it belongs to.
  ///   - clock: the server's.
  ///   - moment: now.
  init(_ answer: SignInAnswer, generation: UInt64, clock: ServerClock, at moment: Moment) {
    token = answer.session.accessToken.map { token in
      ReceivedToken(
        generation: generation,
        token: token,
        expiresIn: answer.expiresIn,
        from: .signIn,
        clock: clock,
        at: moment
      )
    }
    clockOffset = clock.offset(at: moment)
    clockAnchor = clock.anchor(at: moment)
  }
}
