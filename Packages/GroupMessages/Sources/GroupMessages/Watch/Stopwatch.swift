/// The time since now, by a clock whose type nobody knows.
func stopwatch<C: Clock>(of clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
  let start = clock.now
  return { start.duration(to: clock.now) }
}
