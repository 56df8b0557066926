internal import Foundation
internal import Synchronization

/// Sign-ins, some at a time, each with its password hash.
public struct LoginLoad: Sendable {
  /// The HTTP port.
  public var port: UInt16
  /// How many are made at once.
  public var width: Int
  /// How many are made.
  public var logins: Int

  /// A load from its size.
  public init(port: UInt16, width: Int, logins: Int) {
    (self.port, self.width, self.logins) = (port, width, logins)
  }

  /// Registers a user and gives an access token; blocks.
  ///
  /// - Throws: where that fails.
  public static func accessToken(port: UInt16) throws -> String {
    let name = "one\(UInt32.random(in: 0...(.max)))"
    return try LoadClient(0, name: name, ports: [port]).accessToken
  }

  /// Makes them; blocks.
  ///
  /// - Returns: how long each took, in milliseconds, and how long all took, in seconds.
  /// - Throws: where a user cannot be registered.
  public func run() throws -> (milliseconds: [Double], seconds: Double) {
    let name = "login\(UInt32.random(in: 0...(.max)))"
    let credentials = ["email": "\(name)@example.com", "password": "SecurePass1"]
    let registered = try LoadConnection(port: port).ask(
      "POST",
      "/auth/register",
      body: credentials.merging(["username": name, "device_id": "d"]) { first, _ in first }
    )
    guard registered.status == 201 else {
      throw LoadClient.NotSignedIn(description: "the register answer is \(registered.status)")
    }
    let times = Mutex<[Double]>([])
    let next = Atomic(0)
    let start = ContinuousClock.now
    RefreshLoad.threads(width) { [port, logins] number in
      let connection = LoadConnection(port: port)
      while next.add(1, ordering: .relaxed).oldValue < logins {
        let began = ContinuousClock.now
        let body = credentials.merging(["device_id": "d\(number)"]) { first, _ in first }
        let answer = try? connection.ask("POST", "/auth/login", body: body)
        guard answer?.status == 200 else { continue }
        times.withLock { $0.append(began.duration(to: .now).inMilliseconds) }
      }
    }
    return (times.withLock { $0 }, start.duration(to: .now).inMilliseconds / 1e3)
  }
}

extension Duration {
  var inMilliseconds: Double {
    Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
  }
}
