#if TPM2 && os(Linux)
import Glibc
import Testing

@testable import SecureStorage

/// A TPM of software (swtpm) with a state of its own; killed when dropped.
final class SoftwareTPM {
  let home = TemporaryHome()
  private var process: pid_t = 0

  /// Starts it, with a fresh state.
  init() throws {
    try #require(mkdir(state, 0o700) == 0)
    try start()
  }

  deinit { end(SIGKILL) }

  private var state: String { home.path + "/state" }
  private var log: String { home.path + "/log" }
  private var socketPath: String { home.path + "/tpm" }

  /// The TPM, in the words of tss2.
  var tcti: String { "swtpm:path=\(socketPath)" }

  /// A vault in this TPM, which takes its time on a slow machine.
  func vault(_ name: String = "store", patience: Duration = .seconds(200)) -> TPM2Vault {
    TPM2Vault(path: path(name), tcti: tcti, patience: patience)
  }

  /// The file of a vault.
  func path(_ name: String = "store") -> String { home.path + "/vaults/\(name).tpm2" }

  /// All that went to it and came back, byte for byte.
  var traffic: [UInt8] {
    String(decoding: TemporaryHome.bytes(of: log), as: UTF8.self).split(separator: "\n")
      .map { $0.hasPrefix("swtpm: ") ? $0.dropFirst(7) : $0 }
      .filter { $0.hasPrefix(" ") && $0.allSatisfy { $0 == " " || $0.isHexDigit } }
      .flatMap { hex(String($0)) }
  }

  /// Starts it with the state that it has.
  ///
  /// It can be connected to at once, for the sockets are made here.
  func start(flags: String = "not-need-init,startup-clear") throws {
    let (server, control) = (try listen(socketPath), try listen(socketPath + ".ctrl"))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      close(server)
      close(control)
    }
    posix_spawn_file_actions_adddup2(&actions, server, 200)
    posix_spawn_file_actions_adddup2(&actions, control, 201)
    actions.closeOthers(but: 200...201)
    for output in [1, 2] as [CInt] {
      posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
    }
    let words = [
      "swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(state)", "--server", "type=unixio,fd=200",
      "--ctrl", "type=unixio,fd=201", "--flags", flags, "--log", "file=\(log),level=20",
    ]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    // Threads of the tests may block the signal that ends it.
    var (attributes, none) = (posix_spawnattr_t(), sigset_t())
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let code = posix_spawnp(&process, "swtpm", &actions, &attributes, &arguments, environ)
    try #require(code == 0, "swtpm does not start; install it (apt-get install swtpm)")
  }

  /// Ends it, as at the end of a day.
  func stop() { end(SIGTERM) }

  /// Ends it as a power cut does.
  func kill() { end(SIGKILL) }

  /// Stops it in its tracks.
  func freeze() { _ = Glibc.kill(process, SIGSTOP) }

  func thaw() { _ = Glibc.kill(process, SIGCONT) }

  /// Makes another TPM of it.
  func replace() throws {
    stop()
    for name in TemporaryHome.names(in: state) { unlink(state + "/" + name) }
    try start()
  }

  // MARK: What others do to it

  /// Sends a command as any program could, with its handles, the first of them authorized by an
  /// empty password, and what follows; returns the response, from its code on.
  @discardableResult
  func command(_ code: UInt32, _ handles: [UInt32], _ parameters: String) throws -> [UInt8] {
    let password = hex("00000009 40000009 0000 00 0000")
    let body = (handles.flatMap(\.bytes) + password + hex(parameters))
    return try send(hex("8002") + UInt32(10 + body.count).bytes + code.bytes + body)
  }

  /// Takes away all that its owner made.
  func clear() throws { try command(0x126, [0x4000_000A], "") }

  /// Sets the owner's password.
  func setOwnerPassword() throws { try command(0x129, [0x4000_0001], "0004 01020304") }

  /// Makes the storage root key, and leaves it loaded; returns its handle.
  @discardableResult
  func makeStorageKey() throws -> UInt32 {
    let template = "0023 000b 00030472 0000 0006 0080 0043 0010 0003 0010 0000 0000"
    let response = try command(
      0x131,
      [0x4000_0001],
      "0004 0000 0000 001a \(template) 0000 00000000"
    )
    return response.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Puts a storage root key where set-up machines have it.
  func setUpStorageRootKey() throws {
    try command(0x120, [0x4000_0001, makeStorageKey()], "81000001")
  }

  /// Defines an index, a counter where its size is nil; returns whether there was room.
  func defineIndex(_ handle: UInt32, size: UInt16?) throws -> Bool {
    let attributes = hex(size == nil ? "02020012" : "02020002")
    let content = handle.bytes + hex("000b") + attributes + hex("0000") + (size ?? 8).bytes
    let text = content.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    return try command(0x12A, [0x4000_0001], "0000 000e \(text)").prefix(4).allSatisfy { $0 == 0 }
  }

  /// Removes an index.
  func removeIndex(_ handle: UInt32) throws { try command(0x122, [0x4000_0001, handle], "") }

  /// The handles of the indices in its lasting memory.
  func indices() throws -> [UInt32] {
    let response = try send(hex("8001 00000016 0000017a 00000001 01000000 000000fe"))
    return stride(from: 13, to: response.count, by: 4).map { start in
      response[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  private func send(_ command: [UInt8]) throws -> [UInt8] {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    try #require(withAddress(socketPath) { connect(descriptor, $0, $1) } == 0)
    try #require(Glibc.send(descriptor, command, command.count, Int32(MSG_NOSIGNAL)) > 0)
    var response = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &response, response.count, 0)
    try #require(count >= 10)
    return Array(response[6..<count])
  }

  private func end(_ signal: CInt) {
    guard process > 0 else { return }
    _ = Glibc.kill(process, signal)
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    process = 0
  }

  private func listen(_ path: String) throws -> CInt {
    unlink(path)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let bound = withAddress(path) { bind(descriptor, $0, $1) }
    try #require(bound == 0 && Glibc.listen(descriptor, 16) == 0)
    return descriptor
  }

  private func withAddress(
    _ path: String,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The bytes, big endian.
  fileprivate var bytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
#endif
