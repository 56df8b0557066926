internal import SessionModels

/// The app's time in the background.
struct Absence: Hashable, Sendable {
  /// When it began, on the monotonic clock, which counts sleep.
  var since: Duration
  /// The access token by then: another one shows that somebody has refreshed meanwhile.
  var token: AccessToken?
}
