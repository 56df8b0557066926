/// One request while it comes in; used by its connection's thread only.
final class HTTPExchange {
  let target: String
  var body: [UInt8] = []
  /// Whether the headers were looked at.
  var hasBegun = false
  /// Whether the body grew beyond the limit; it is then read on, and thrown away.
  var isTooLarge = false
  /// Whether it counts as work in hand.
  var isCounted = false
  /// How much of the body came.
  var received = 0

  init(target: String) { self.target = target }
}
