internal import AuthNetworking
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SecureStorage
internal import SessionModels

/// The checks of `doctor` that ask the backend, all by one request.
final class NetworkDiagnosis {
  private let context: CommandContext
  private let shell: ShellLine
  private let tlsAdvice: TLSAdvice
  private var asked: Result<HTTPResponse, TransportError>?

  /// Beyond it, dates in other programs go wrong; this client itself goes by the server's clock.
  private static let largestSkew = 60.0

  /// What sets the clock by the network.
  static let settingTheClock = "timedatectl set-ntp true"

  init(_ context: CommandContext) {
    self.context = context
    shell = ShellLine(context)
    tlsAdvice = TLSAdvice(shell, peer: "backend", option: "base-url")
  }

  func backend() async -> Finding {
    guard let url = await url else { return unknown }
    switch await answer(of: url) {
    case .success(let answer) where answer.status >= 500:
      return Finding(
        ClientError(
          .server,
          "\(url.origin.text) answers \(answer.status)",
          status: answer.status
        ),
        Remedy("The backend itself has a problem; its operators know more")
      )
    case .success: return Finding("\(url.origin.text) answers")
    case .failure(let error):
      if error.code == .tls || error.code == .pinMismatch {
        // What is the matter stands beside the next check.
        return Finding(ClientError(.tls, "\(url.origin.text) answers, but cannot be trusted"))
      }
      return Finding(ClientError(AuthError(error)), await remedy(for: error, url))
    }
  }

  func tls() async -> Finding {
    guard let url = await url else { return unknown }
    guard url.origin.scheme == "https" else {
      return .skipped("\(url.origin.text) is plain http, which stays on this machine")
    }
    let roots = context.settings.caFile ?? "the system's roots"
    let count = context.settings.pins.count
    let pins = count == 0 ? "no pin is set" : "its key is one of \(Counted.text(count, "pin"))"
    switch await answer(of: url) {
    case .success: return Finding("the certificate is vouched for by \(roots); \(pins)")
    case .failure(let error) where error.code == .tls:
      return Finding(ClientError(AuthError(error)), tlsAdvice.remedy(for: error.message))
    case .failure(let error) where error.code == .pinMismatch:
      return Finding(ClientError(AuthError(error)), tlsAdvice.repinning)
    case .failure: return .skipped("the backend did not answer")
    }
  }

  func clock() async -> Finding {
    guard let url = await url else { return unknown }
    guard let date = try? await answer(of: url).get().serverDate else {
      return .skipped("the backend did not tell its time")
    }
    let skew = context.client.parts.now() - date.timeIntervalSince1970
    guard abs(skew) > NetworkDiagnosis.largestSkew else {
      return Finding("this clock and the backend's agree to a minute")
    }
    let direction = skew > 0 ? "ahead of" : "behind"
    return Finding(
      ClientError(.server, "this clock is \(Int(abs(skew))) s \(direction) the backend's"),
      Remedy(
        "Set this machine's clock, unless it is right and the backend's is wrong",
        run: NetworkDiagnosis.settingTheClock
      )
    )
  }

  /// Whether a backend is known that answers, and not of a failure of its own.
  var hasAnswered: Bool {
    get async {
      guard let url = await url, case .success(let answer) = await answer(of: url) else {
        return false
      }
      return answer.status < 500
    }
  }

  private var url: HTTPURL? {
    get async {
      guard let backend = try? await context.client.backendForDiagnosis() else { return nil }
      return backend.baseURL
    }
  }

  private var unknown: Finding {
    .skipped("no backend is known yet", Remedy("Name one with --base-url URL, or sign in"))
  }

  /// One request without a token: whatever the answer, it shows that somebody is there.
  private func answer(of url: HTTPURL) async -> Result<HTTPResponse, TransportError> {
    if let asked { return asked }
    let result: Result<HTTPResponse, TransportError>
    do {
      result = .success(
        try await context.client.transport.send(
          HTTPRequest(
            method: .get,
            url: url,
            headers: HTTPHeaders([("Accept", "application/json"), ("User-Agent", UserAgent.text)]),
            timeout: context.settings.timeout ?? .seconds(5)
          )
        )
      )
    } catch {
      result = .failure(error)
    }
    asked = result
    return result
  }

  private func remedy(for error: TransportError, _ url: HTTPURL) async -> Remedy? {
    switch error.code {
    case .network:
      if let better = await rememberedURL, better.origin != url.origin {
        return Remedy(
          "You signed in at \(better.origin.text), and --base-url names another backend",
          run: shell.withoutSetting("base-url")
        )
      }
      guard let port = LocalBackend.port(of: url) else {
        return Remedy(
          "Is there a network, is the backend running, and --base-url right?",
          run: "curl --head \(ShellLine.quoted(url.text))"
        )
      }
      return Remedy(
        "Start the backend on this machine, with the --database that it had: a new one does not know "
          + "this session. Or name another backend with --base-url URL",
        run: LocalBackend.start(port: port, realtimeURL: try? context.client.knownRealtimeURL())
      )
    case .timeout:
      return Remedy("The backend is slow, or a firewall drops packets; try a longer --timeout")
    default: return nil
    }
  }

  /// Where sign-in was, whatever the options say.
  private var rememberedURL: HTTPURL? {
    get async {
      let session = try? await context.client.record().authInfo?.baseURL
      let remembered = session ?? (try? context.client.rememberedSettings())?.baseURL
      return remembered.flatMap { try? HTTPURL(parsing: $0) }
    }
  }
}
