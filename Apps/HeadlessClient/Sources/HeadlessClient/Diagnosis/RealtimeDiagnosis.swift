internal import GRPC
internal import Realtime

/// The check of `doctor` that asks the realtime endpoint.
struct RealtimeDiagnosis {
  private let context: CommandContext

  init(_ context: CommandContext) { self.context = context }

  func realtime() async -> Finding {
    let url: String?
    do {
      url = try context.client.knownRealtimeURL()
    } catch {
      return Finding(error)
    }
    guard let url else {
      return .skipped(
        "no realtime endpoint is known yet",
        Remedy("Name one with --realtime-url URL when signing in")
      )
    }
    do {
      let connection = try await context.client.realtime(carriesToken: false)
      return try await ask(connection, url)
    } catch {
      return Finding(error)
    }
  }

  /// A call without a token: whatever its status, the server has spoken.
  private func ask(
    _ connection: RealtimeConnection,
    _ url: String
  ) async throws(ClientError) -> Finding {
    do {
      _ = try await connection.channel.unary(
        "/skyconnect.realtime.v1.Realtime/Send",
        message: [],
        options: GRPCCallOptions(deadline: context.settings.timeout ?? .seconds(5))
      )
    } catch {
      switch error.status.code {
      case .unavailable, .deadlineExceeded:
        return Finding(ClientError(error), remedy(for: error))
      default: break
      }
    }
    return Finding("\(url) speaks gRPC")
  }

  private func remedy(for error: GRPCError) -> Remedy {
    let shell = ShellLine(context)
    let advice = TLSAdvice(shell, peer: "realtime service", option: "realtime-url")
    switch error.cause {
    case .tls: return advice.remedy(for: error.status.message)
    case .pinMismatch: return advice.repinning
    default:
      // The endpoint that sign-in named is the one that gets the token: so sign in again.
      return Remedy(
        "Is the realtime service running? If it is elsewhere, sign in again and name it",
        run: shell.own("login IDENTIFIER --realtime-url URL")
      )
    }
  }
}
