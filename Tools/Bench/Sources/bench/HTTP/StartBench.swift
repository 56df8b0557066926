import AuthNetworking
import BenchKit
import Foundation
import SecureStorage

/// A fresh process with a stored session, up to the answer to its first authenticated request.
struct StartBench: StoreBench {
  let measures = ["http.start"]
  private let options: Options
  private let stores: BenchStores

  init(_ options: Options, _ scratch: ScratchDirectory) {
    self.options = options
    stores = BenchStores(options: options, scratch: scratch)
  }

  func run() async throws {
    Output.progress("http.start: fresh processes")
    let loopback = try Loopback(stores)
    let store = try await stores.open("start/store")
    try await SecureSessionStorage(store: store).setAuthInfo(
      Loopback.info(loopback.baseURL, expiresIn: 86_400, token: Loopback.token)
    )
    store.close()
    let program = URL(fileURLWithPath: Child.program).deletingLastPathComponent()
      .appendingPathComponent("bench-start").path
    let arguments = [stores.scratch.path("start"), loopback.baseURL.text]
    var times: [Double] = []
    for _ in 0..<40 {
      let child = try Child(arguments, of: program)
      guard let nanoseconds = Double(child.line()) else { throw Failure("no first request") }
      _ = try child.finish()
      times.append(nanoseconds / 1e6)
    }
    try loopback.close()
    try Output.print(
      Measurement(
        "http.start",
        of: "AuthNetworking",
        samples: Samples(times),
        unit: "ms",
        targets: [.atMost(15, .p50)]
      )
    )
  }
}
