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
      return .unchecked(
        "no realtime endpoint is known yet",
        advice: "Name one with --realtime-url when signing in"
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
        return Finding(ClientError(error), advice: advice(error.cause))
      default: break
      }
    }
    return Finding("\(url) speaks gRPC")
  }

  private func advice(_ cause: GRPCError.Cause?) -> String {
    switch cause {
    case .tls: "Name the roots that vouch for the endpoint with --ca-file, and check its name"
    case .pinMismatch: "If the key was changed on purpose, give the new --pin; if not, do not go on"
    default: "Is the realtime service running, and --realtime-url right?"
    }
  }
}
