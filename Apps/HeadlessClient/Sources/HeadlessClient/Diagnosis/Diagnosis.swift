/// One of the checks of `doctor`: what it is called, and how it finds out.
struct Diagnosis {
  /// The name for programs and people.
  let name: String
  /// Finds out.
  let run: () async -> Finding

  /// All checks, in the order in which one failure explains the next.
  static func checks(_ context: CommandContext) -> [Diagnosis] {
    let local = LocalDiagnosis(context)
    let network = NetworkDiagnosis(context)
    return [
      Diagnosis(name: "permissions") { await local.permissions() },
      Diagnosis(name: "disk") { await local.disk() },
      Diagnosis(name: "vault") { await local.vault() },
      Diagnosis(name: "store") { await local.store() },
      Diagnosis(name: "session") { await local.session() },
      Diagnosis(name: "backend") { await network.backend() },
      Diagnosis(name: "tls") { await network.tls() },
      Diagnosis(name: "clock") { await network.clock() },
      Diagnosis(name: "token") { await TokenDiagnosis(context, network).token() },
      Diagnosis(name: "realtime") { await RealtimeDiagnosis(context).realtime() },
    ]
  }
}
