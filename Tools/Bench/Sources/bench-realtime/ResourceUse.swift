import Glibc

/// What this process has used since a moment.
struct ResourceUse {
  private let processorAtStart = ResourceUse.processorTime()
  private let start = ResourceUse.now()

  /// Prints it, with the median of the times that single calls took.
  func report(times: [Int]) {
    let wall = ResourceUse.now() - start
    let processor = ResourceUse.processorTime() - processorAtStart
    let median = times.isEmpty ? 0 : times.sorted()[times.count / 2]
    print(processor, wall, median, ResourceUse.peakMemory())
  }

  /// Nanoseconds of a clock that nobody sets.
  static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// The most memory that was resident so far, in KiB.
  static func peakMemory() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    let size: Int32 = 256
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(size)) { line in
      while let start = line.baseAddress, fgets(start, size, file) != nil {
        if strncmp(start, "VmHWM:", 6) == 0 { return atol(start + 6) }
      }
      return 0
    }
  }

  private static func processorTime() -> Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    return seconds * 1_000_000_000 + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000
  }
}
