internal import Foundation
internal import Synchronization

/// One session of the load, used by one thread at a time; unchecked, since it is handed over only
/// before that thread begins.
final class LoadClient: @unchecked Sendable {
  private let device: String
  private let instances: [LoadConnection]
  private var instance: Int
  private var attempts = 0
  private var refreshToken: String
  private(set) var accessToken: String
  /// The token that was spent last.
  private var spent: String?

  struct NotSignedIn: Error, CustomStringConvertible {
    let description: String
  }

  /// So often a request is made again before the client gives up.
  private static let patience = 3_000

  /// Registers a user.
  init(_ number: Int, name: String, ports: [UInt16]) throws {
    device = "device-\(number)"
    instances = ports.map { LoadConnection(port: $0) }
    instance = number % ports.count
    let user = "\(name)x\(number)"
    let answer = try instances[instance].ask(
      "POST",
      "/auth/register",
      body: [
        "username": user, "email": "\(user)@example.com", "password": "SecurePass1",
        "device_id": device,
      ]
    )
    guard let refresh = answer.text("refresh_token"), let access = answer.text("access_token")
    else {
      let body = String(decoding: answer.body, as: UTF8.self)
      throw NotSignedIn(description: "\(answer.status) \(body)")
    }
    (refreshToken, accessToken) = (refresh, access)
  }

  /// Refreshes so often, one after the other, and tries spent tokens now and then.
  func refresh(_ count: Int) -> RefreshLoad.Report {
    var report = RefreshLoad.Report()
    for number in 0..<count {
      let start = ContinuousClock.now
      guard refreshOnce(&report) else { return report }
      report.milliseconds.append(start.duration(to: .now).inMilliseconds)
      if number % 20 == 7 { trySpent(&report) }
    }
    return report
  }

  /// One refresh, to its end; false where the client is signed out.
  private func refreshOnce(_ report: inout RefreshLoad.Report) -> Bool {
    attempts += 1
    for _ in 0..<Self.patience {
      guard
        let answer = try? instances[instance].ask(
          "POST",
          "/auth/refresh",
          body: ["refresh_token": refreshToken, "device_id": device],
          attempt: "\(device)-\(attempts)"
        ), answer.status != 503
      else {
        goElsewhere(&report)
        continue
      }
      guard answer.status == 200, let access = answer.text("access_token") else {
        report.signedOut += 1
        report.surprises.insert(
          "refresh: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
        )
        return false
      }
      guard let next = answer.text("refresh_token") else {
        // A pair is owed to this attempt, whichever instance it reaches.
        report.surprises.insert("an access token only, to the attempt that rotated")
        goElsewhere(&report)
        continue
      }
      (spent, refreshToken, accessToken) = (refreshToken, next, access)
      report.refreshes += 1
      return true
    }
    report.signedOut += 1
    report.surprises.insert("no instance answers")
    return false
  }

  /// Presents the token that was just spent, as another attempt: within the grace window it gives
  /// an access token, and never a pair.
  private func trySpent(_ report: inout RefreshLoad.Report) {
    guard let spent else { return }
    attempts += 1
    guard
      let answer = try? instances[attempts % instances.count].ask(
        "POST",
        "/auth/refresh",
        body: ["refresh_token": spent, "device_id": device],
        attempt: "\(device)-\(attempts)"
      ), answer.status != 503
    else { return }
    report.spentTried += 1
    if answer.text("refresh_token") != nil { report.acceptedTwice += 1 }
    if answer.status != 200 {
      report.surprises.insert(
        "grace: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
      )
    }
  }

  /// Ends its session, and tries its access token everywhere from a second later on.
  func revokeAndTry() -> RefreshLoad.Report {
    var report = RefreshLoad.Report()
    for _ in 0..<Self.patience {
      let answer = try? instances[instance].ask(
        "POST",
        "/auth/logout",
        body: ["refresh_token": refreshToken]
      )
      if let answer, answer.status < 300 { break }
      goElsewhere(&report)
    }
    report.revocations = 1
    usleep(1_000_000)
    for _ in 0..<5 {
      for instance in instances {
        guard let answer = try? instance.ask("GET", "/auth/me", bearer: accessToken) else {
          continue
        }
        report.revokedTried += 1
        if answer.status == 200 { report.acceptedRevoked += 1 }
      }
      usleep(50_000)
    }
    return report
  }

  private func goElsewhere(_ report: inout RefreshLoad.Report) {
    report.retries += 1
    instance = (instance + 1) % instances.count
    usleep(20_000)
  }
}
