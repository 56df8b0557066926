import BenchKit
import Foundation

/// Prints one JSON line for each measurement of the store and of requests, and of others for
/// comparison.
@main enum BenchProgram {
  private static let help = """
    usage: bench [--filter TEXT] [--directory DIR] [--entries N] [--cipher NAME]
                 [--external COMMAND] [--json]

    Prints one JSON line for each measurement; progress goes to stderr.

      --filter TEXT       only measures whose name contains TEXT; may be repeated
      --directory DIR     where the stores are made (/var/tmp); a memory file system has no disk
                          to measure
      --entries N         how many entries the stores hold (100000)
      --cipher NAME       xchacha20-poly1305 (default) or aes-256-gcm
      --external COMMAND  a program that measures another store; its lines are passed on
      --json              the default, and the only form

    Measures of this store:
      read.token       an 800-byte token, while another process writes
      read.strict      the same where opened values are not kept
      session.durable  four values in one durable transaction, and once more by a task that prefers
                       the store's thread (session.durable.executor), and on the calling thread
                       (session.durable.blocking)
      session.large    the same in a store of N entries
      session.normal   the same, not durable
      open.time        up to the first read, in a fresh process: processor time
      open.memory      and memory, beside those of an empty store
      rekey            a change of the data key, 100 bytes a value
      rekey.reads      reads of another thread meanwhile

    Measures of a session:
      http.get         an authenticated GET on a kept connection to loopback, beside libcurl alone
      http.cpu         the processor time of the same
      http.executor.get, http.executor.cpu, http.executor.storm
                       the same, and http.storm, of tasks that prefer the transport's thread
      http.token       a token that is fresh
      http.allocations how often that asks for memory
      http.storm       1,000 requests at once on an expired token, beside a fresh one
      http.refreshes   how many refreshes that were
      http.start       a fresh process up to the answer to its first request: processor time

    Measures of gRPC, beside gRPC C++ with the same servers:
      realtime.small.grpc    a stream of 100-byte messages from a gRPC C++ server: processor time
      realtime.small.packed  the same from a server that packs many into a write
      realtime.large.grpc, realtime.large.packed
                             the same of 10,000-byte messages
      realtime.unary         calls one after the other: processor time (.cpu) and time (.p50)
      realtime.memory        the most memory of a streaming client
      realtime.stall         what a stream of 1 GB adds that nobody reads

    Measures of group messages, ten groups of 10,000 each:
      timeline.live    messages put together as they come, in order; timeline.pages in pages from
                       the newest back, timeline.random in any order
      timeline.open    a group opened, up to the newest page, beside that page alone
      timeline.cached  what is shown before that, from the store
      timeline.memory  ten open groups after all messages have come, beside those in arrays

    Measures of the development backend (Tools/measure builds it where they are asked for):
      backend.streams.memory resident memory with 1,000 streams open
      backend.streams.fanout one message to all of them
      backend.login.sqlite, backend.login.postgresql
                             sign-ins a second, 8 at a time
      backend.refresh.sqlite, backend.refresh.postgresql
                             refreshes a second, of 20 clients
      backend.cluster.refresh 100,000 refreshes of 200 clients by two instances on one PostgreSQL
                             and Redis, of which one is killed and started again all the time
      backend.cluster.signedout, .twice, .revoked
                             clients that lost their session, spent tokens that gave a second
                             pair, revoked ones that were accepted a second later

    Measures of every store: compare.read, compare.session, compare.open, compare.memory
    """

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch arguments.first {
      case "-h", "--help": print(help)
      case "child-serve": try LoopbackServer.run()
      case "child-write": try await Comparison<ComparedSecureStore>.write(in: arguments[1])
      case "child-timelines": try await TimelineBench.hold(arguments[1])
      case "child-open": try await Comparison<ComparedSecureStore>.open(arguments[1])
      default: try await run(Options(arguments))
      }
    } catch {
      Output.progress("\(error)")
      exit(EXIT_FAILURE)
    }
  }

  private static func run(_ options: Options) async throws {
    let scratch = try ScratchDirectory(in: options.directory)
    let benches: [any StoreBench] = [
      ReadBench(options, scratch), SessionBench(options, scratch), OpenBench(options, scratch),
      RekeyBench(options, scratch), RequestBench(options, scratch),
      TokenBench(options, scratch), StormBench(options, scratch), StartBench(options, scratch),
      RealtimeBench(options, scratch), TimelineBench(options, scratch),
      BackendBench(options, scratch),
    ]
    for bench in benches where bench.measures.contains(where: options.includes) {
      try await bench.run()
    }
    try await Comparison<ComparedSecureStore>(options).run()
    let folder = URL(fileURLWithPath: Child.program).deletingLastPathComponent()
    for name in ["bench-sqlcipher", "bench-lmdb"] {
      let program = folder.appendingPathComponent(name).path
      try OtherProgram.run([program] + options.forwarded, options)
    }
    for command in options.externals {
      try OtherProgram.run(["/bin/sh", "-c", command], options)
    }
  }
}
