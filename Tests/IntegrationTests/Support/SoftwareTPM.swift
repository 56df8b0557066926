#if os(Linux)
import Foundation
import Testing

/// A TPM of software (swtpm) beside the processes under test; killed when dropped.
final class SoftwareTPM {
  private let folder: URL
  private var pid: pid_t = 0

  /// Starts it, with a fresh state.
  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "swtpm-\(UUID().uuidString)")
    try start()
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: folder)
  }

  /// The TPM, in the words of tss2.
  var tcti: String { "swtpm:path=\(folder.path)/tpm" }

  /// Ends it as a power cut does.
  func kill() {
    if pid > 0 { Foundation.kill(pid, SIGKILL) }
    pid = 0
  }

  /// Starts another TPM in its place.
  func replace() throws {
    kill()
    try FileManager.default.removeItem(at: folder)
    try start()
  }

  private func start() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.path
    let words = [
      "swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(path)", "--server",
      "type=unixio,path=\(path)/tpm", "--ctrl", "type=unixio,path=\(path)/tpm.ctrl", "--flags",
      "not-need-init,startup-clear", "--daemon", "--pid", "file=\(path)/pid", "--log",
      "file=\(path)/log",
    ]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 3..<1024 as Range<CInt> {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    // Not as a `Process`: that would wait for what goes into the background, too.
    var (launcher, status) = (pid_t(), Int32(0))
    let code = posix_spawnp(&launcher, "swtpm", &actions, nil, &arguments, environ)
    try #require(code == 0, "swtpm does not start; install it (apt-get install swtpm)")
    // It ends once the one in the background can be connected to.
    while waitpid(launcher, &status, 0) < 0, errno == EINTR {}
    try #require(status == 0, "swtpm ended with \(status)")
    let text = try String(contentsOfFile: "\(path)/pid", encoding: .utf8)
    pid = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
  }
}
#endif
