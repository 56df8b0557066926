/// Counts attempts for all instances together, where they share a server for that.
///
/// The rule is ``AttemptBucket``'s, carried out where the counts are kept, so that two instances never
/// both take the last attempt.
package protocol SharedAttempts: Sendable {
  /// Takes one attempt from each bucket, or from none; blocks.
  ///
  /// - Parameters:
  ///   - buckets: what is counted.
  ///   - now: in milliseconds since 1970.
  /// - Returns: 0 where it was taken, else in how many milliseconds there will be one; nil where the
  ///   server cannot be asked now.
  func take(_ buckets: [SharedBucket], at now: Int64) -> Int64?

  /// Gives back an attempt that was taken; blocks. One that cannot be given back now stays taken.
  func giveBack(_ buckets: [SharedBucket], at now: Int64)

  /// Ends the connection to the server.
  func close()
}
