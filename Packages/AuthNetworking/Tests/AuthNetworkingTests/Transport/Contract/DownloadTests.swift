import Synchronization
import Testing

@testable import AuthNetworking

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Answers that go into a file.
@Suite(.timeLimit(.minutes(5))) struct DownloadTests {
  @Test(arguments: TransportUnderTest.all)
  func `a 2xx answer goes into the file, whole and for the user alone`(
    transport: TransportUnderTest
  ) async throws {
    let body = pattern(3 << 20)
    try await withTemporaryFolder { folder in
      try folder.write([9], "file")
      try await withServer(script: { try $0.respondToAll(body: body) }) { server in
        let response = try await server.fetch(transport: transport()) {
          $0.destination = DownloadTarget(folder.file("file"))
          // What is read into memory has nothing to do with it.
          $0.maximumResponseBytes = 10
        }
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
        #expect(response.savedBytes == Int64(body.count))
      }
      #expect(folder.read("file") == body)
      #expect(try folder.mode("file") == 0o600)
      #expect(folder.names == ["file"])
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `a link stays, and what it leads to is replaced`(
    transport: TransportUnderTest
  ) async throws {
    try await withTemporaryFolder { folder in
      try folder.write([9], "file")
      try #require(symlink("file", folder.file("link")) == 0)
      try await withServer(script: { try $0.respondToAll(body: [1, 2]) }) { server in
        _ = try await server.fetch(transport: transport()) {
          $0.destination = DownloadTarget(folder.file("link"))
        }
      }
      #expect(folder.read("file") == [1, 2])
      #expect(folder.read("link") == [1, 2])
      #expect(folder.names == ["file", "link"])
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `a pipe is not replaced, nor is anything sent`(transport: TransportUnderTest) async throws {
    try await withTemporaryFolder { folder in
      try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
      try #require(symlink("nowhere", folder.file("dangling")) == 0)
      try await withServer(script: { try $0.respondToAll(body: [1]) }) { server in
        for name in ["pipe", "dangling"] {
          let code = try await server.failure(transport: transport()) {
            $0.destination = DownloadTarget(folder.file(name))
          }
          #expect(code == .file)
        }
        #expect(server.requests.isEmpty)
      }
      #expect(folder.names == ["dangling", "pipe"])
    }
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")),
    arguments: TransportUnderTest.all,
    ["/dev/fd/", "/proc/self/fd/", "/proc/\(getpid())/fd/", "link to /dev/fd/"]
  )
  func `a file that this process has open is not replaced by its number`(
    transport: TransportUnderTest,
    prefix: String
  ) async throws {
    try await withTemporaryFolder { folder in
      try folder.write([9], "store")
      let descriptor = open(folder.file("store"), O_RDONLY | O_CLOEXEC)
      try #require(descriptor >= 0)
      defer { close(descriptor) }
      var path = "\(prefix)\(descriptor)"
      if prefix.hasPrefix("link") {
        path = folder.file("link")
        try #require(symlink("/dev/fd/\(descriptor)", path) == 0)
      }
      try await withServer(script: { try $0.respondToAll(body: [1]) }) { server in
        let code = try await server.failure(transport: transport()) {
          $0.destination = DownloadTarget(path)
        }
        #expect(code == .file)
        #expect(server.requests.isEmpty)
      }
      #expect(folder.read("store") == [9])
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `an empty answer is an empty file`(transport: TransportUnderTest) async throws {
    try await withTemporaryFolder { folder in
      try await withServer(script: { try $0.respondToAll(201) }) { server in
        let response = try await server.fetch(.post, transport: transport()) {
          $0.destination = DownloadTarget(folder.file("file"))
        }
        #expect(response.savedBytes == 0)
      }
      #expect(folder.read("file") == [])
    }
  }

  @Test(arguments: TransportUnderTest.all, [302, 404, 500])
  func `any other answer is read as usual, and leaves the file alone`(
    transport: TransportUnderTest,
    status: Int
  ) async throws {
    let body = Array(#"{"error":"no"}"#.utf8)
    try await withTemporaryFolder { folder in
      try folder.write([9], "file")
      try await withServer(script: { try $0.respondToAll(status, body: body) }) { server in
        let transport = try transport()
        let response = try await server.fetch(transport: transport) {
          $0.destination = DownloadTarget(folder.file("file"), maximumBytes: 1)
        }
        #expect(response.status == status)
        #expect(response.body == body)
        #expect(response.savedBytes == nil)
        let code = try await server.failure(transport: transport) {
          $0.destination = DownloadTarget(folder.file("file"))
          $0.maximumResponseBytes = 5
        }
        #expect(code == .responseTooLarge)
      }
      #expect(folder.read("file") == [9])
      #expect(folder.names == ["file"])
    }
  }

  @Test(arguments: TransportUnderTest.all, [(999, true), (1000, false)])
  func `its own limit is exact`(
    transport: TransportUnderTest,
    limit: (bytes: Int64, fails: Bool)
  ) async throws {
    try await withTemporaryFolder { folder in
      try await withServer(script: { try $0.respondToAll(body: pattern(1000)) }) { server in
        let code = try await server.failure(transport: transport()) {
          $0.destination = DownloadTarget(folder.file("file"), maximumBytes: limit.bytes)
        }
        #expect(code == (limit.fails ? .responseTooLarge : nil))
      }
      #expect(folder.names == (limit.fails ? [] : ["file"]))
    }
  }

  @Test(arguments: TransportUnderTest.all, ["reset", "timeout", "cancel"])
  func `half a download leaves nothing, and what was there before`(
    transport: TransportUnderTest,
    end: String
  ) async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.request()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
      try connection.send(pattern(50_000))
      if end == "reset" { connection.reset() } else { connection.waitForClose() }
    }
    try await withTemporaryFolder { folder in
      try folder.write([9], "file")
      try await withServer(script: script) { server in
        let transport = try transport()
        let arrived = Latch()
        let download = Task {
          try await server.failure(transport: transport) {
            $0.destination = DownloadTarget(folder.file("file"))
            $0.onProgress = { if $0.receivedBytes == 50_000 { arrived.open() } }
            if end == "timeout" { $0.timeout = .milliseconds(500) }
          }
        }
        if end == "cancel" {
          await arrived.wait()
          #expect(folder.names.count == 2)
          download.cancel()
        }
        let codes: [String: TransportError.Code] = [
          "reset": .network, "timeout": .timeout, "cancel": .cancelled,
        ]
        #expect(try await download.value == codes[end])
      }
      #expect(folder.read("file") == [9])
      #expect(folder.names == ["file"])
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `where no file can be made, nothing is sent`(transport: TransportUnderTest) async throws {
    try await withTemporaryFolder { folder in
      try await withServer(script: { try $0.respondToAll() }) { server in
        let transport = try transport()
        try folder.write([9], "file")
        let places = ["", "a\u{0}b", folder.file("missing/file"), folder.file("file/x")]
        for path in places + [folder.path, folder.path + "/"] {
          let code = try await server.failure(.post, transport: transport) {
            $0.destination = DownloadTarget(path)
          }
          #expect(code == .file)
        }
        #expect(server.connections == 0)
      }
      #expect(folder.names == ["file"])
    }
  }

  #if os(Linux)
  @Test func `an open pipe is refused as what it is, and not as missing`() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let file = DownloadFile(DownloadTarget("/dev/fd/\(ends[1])"))
    let error = await #expect(throws: TransportError.self) { try await file.open() }
    #expect(error?.code == .file)
    #expect(error?.message.contains("an open file of a process") == true)
  }
  #endif

  #if canImport(Glibc)
  @Test func `a disk that takes no more is a file error, and nothing is left`() async {
    // In a process of its own: the limit, which stands for a full disk, belongs to the whole process.
    await #expect(processExitsWith: .success) {
      try await withTemporaryFolder { folder in
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 1_000, rlim_max: 1_000)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        let file = DownloadFile(DownloadTarget(folder.file("file")))
        try await file.open()
        let error = #expect(throws: TransportError.self) {
          try pattern(2_000).withUnsafeBytes { try file.write($0) }
        }
        #expect(error?.code == .file)
        await file.discard()
        #expect(folder.names == [])
      }
    }
  }
  #endif

  @Test(arguments: TransportUnderTest.all, [true, false])
  func `progress tells what has come and what will, where that is known`(
    transport: TransportUnderTest,
    isAnnounced: Bool
  ) async throws {
    let body = pattern(300_000)
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.request()
      if isAnnounced {
        try connection.respond(body: body)
      } else {
        try connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        try connection.send(body)
      }
    }
    let seen = Mutex<[TransferProgress]>([])
    try await withTemporaryFolder { folder in
      try await withServer(script: script) { server in
        _ = try await server.fetch(transport: transport()) {
          $0.destination = DownloadTarget(folder.file("file"))
          $0.onProgress = { progress in seen.withLock { $0.append(progress) } }
        }
      }
    }
    let progress = seen.withLock { $0 }
    let received = progress.map(\.receivedBytes)
    #expect(received == received.sorted())
    #expect(received.last == Int64(body.count))
    #expect(progress.allSatisfy { $0.bytesToReceive == (isAnnounced ? Int64(body.count) : nil) })
  }
}
