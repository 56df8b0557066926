#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// What happens to a child's standard streams before it runs.
struct FileActions {
  #if canImport(Darwin)
  fileprivate var actions: posix_spawn_file_actions_t?
  #else
  fileprivate var actions = posix_spawn_file_actions_t()
  #endif

  init() { posix_spawn_file_actions_init(&actions) }

  mutating func open(_ descriptor: Int32, _ path: String) {
    posix_spawn_file_actions_addopen(&actions, descriptor, path, O_RDONLY, 0)
  }

  mutating func duplicate(_ descriptor: Int32, _ target: Int32) {
    posix_spawn_file_actions_adddup2(&actions, descriptor, target)
  }

  mutating func destroy() { posix_spawn_file_actions_destroy(&actions) }
}

/// Starts a program with signals as a shell would hand them over: this process ignores one.
///
/// - Returns: the child, or nil where the system refuses.
func spawn(
  _ path: String,
  _ arguments: [String],
  _ environment: [String],
  _ actions: inout FileActions
) -> pid_t? {
  #if canImport(Darwin)
  var attributes: posix_spawnattr_t?
  #else
  var attributes = posix_spawnattr_t()
  #endif
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var none = sigset_t()
  sigemptyset(&none)
  var defaults = sigset_t()
  sigemptyset(&defaults)
  sigaddset(&defaults, SIGPIPE)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &defaults)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
  var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
  var lines: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
  defer { for pointer in words + lines { free(pointer) } }
  var child: pid_t = 0
  return posix_spawn(&child, path, &actions.actions, &attributes, &words, &lines) == 0 ? child : nil
}
