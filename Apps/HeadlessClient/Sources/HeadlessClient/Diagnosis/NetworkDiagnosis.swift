internal import AuthNetworking
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The checks of `doctor` that ask the backend.
struct NetworkDiagnosis {
  private let context: CommandContext

  /// Beyond it, dates in other programs go wrong; this client itself goes by the server's clock.
  private static let largestSkew = 60.0

  init(_ context: CommandContext) { self.context = context }

  func backend() async -> Finding {
    guard let url = await url else { return unknown }
    do {
      let answer = try await ask(url)
      guard answer.status < 500 else {
        return Finding(
          ClientError(
            .server,
            "\(url.origin.text) answers \(answer.status)",
            status: answer.status
          ),
          advice: "The backend itself has a problem; its operators know more"
        )
      }
      return Finding("\(url.origin.text) answers")
    } catch {
      if error.code == .tls || error.code == .pinMismatch {
        // What is the matter stands beside the next check.
        return Finding(ClientError(.tls, "\(url.origin.text) answers, but cannot be trusted"))
      }
      return Finding(ClientError(AuthError(error)), advice: NetworkDiagnosis.advice(error))
    }
  }

  func tls() async -> Finding {
    guard let url = await url else { return unknown }
    guard url.origin.scheme == "https" else {
      return Finding("plain http, which stays on this machine")
    }
    let roots = context.settings.caFile ?? "the system's roots"
    let count = context.settings.pins.count
    do {
      _ = try await ask(url)
      return Finding("the certificate is vouched for by \(roots); \(Counted.text(count, "pin"))")
    } catch {
      switch error.code {
      case .tls, .pinMismatch:
        return Finding(ClientError(AuthError(error)), advice: NetworkDiagnosis.advice(error))
      default: return .unchecked("the backend did not answer")
      }
    }
  }

  func clock() async -> Finding {
    guard let url = await url else { return unknown }
    guard let answer = try? await ask(url), let date = answer.serverDate else {
      return .unchecked("the backend did not tell its time")
    }
    let skew = context.client.parts.now() - date.timeIntervalSince1970
    guard abs(skew) > NetworkDiagnosis.largestSkew else {
      return Finding("this clock and the backend's agree to a minute")
    }
    let direction = skew > 0 ? "ahead of" : "behind"
    return Finding(
      ClientError(.server, "this clock is \(Int(abs(skew))) s \(direction) the backend's"),
      advice: "Set the clock, as with: timedatectl set-ntp true"
    )
  }

  private var url: HTTPURL? {
    get async {
      guard let backend = try? await context.client.backendForDiagnosis() else { return nil }
      return backend.baseURL
    }
  }

  private var unknown: Finding {
    .unchecked("no backend is known yet", advice: "Name one with --base-url URL, or sign in")
  }

  /// One request without a token: whatever the answer, it shows that somebody is there.
  private func ask(_ url: HTTPURL) async throws(TransportError) -> HTTPResponse {
    try await context.client.transport.send(
      HTTPRequest(
        method: .get,
        url: url,
        headers: HTTPHeaders([("Accept", "application/json"), ("User-Agent", UserAgent.text)]),
        timeout: context.settings.timeout ?? .seconds(5)
      )
    )
  }

  private static func advice(_ error: TransportError) -> String? {
    switch error.code {
    case .network: "Is the backend running, and --base-url right? Is there a network?"
    case .timeout: "The backend is slow or a firewall drops packets; try a longer --timeout"
    case .tls: TLSAdvice.advice(for: error.message)
    case .pinMismatch:
      "If the backend's key was changed on purpose, give the new --pin; if not, do not go on"
    default: nil
    }
  }
}
