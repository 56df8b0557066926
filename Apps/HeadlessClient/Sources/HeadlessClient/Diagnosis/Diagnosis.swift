/// One of the checks of `doctor`: what it is called, and how it finds out.
struct Diagnosis {
  /// The name for programs and people.
  let name: String
  /// Finds out.
  let run: (CommandContext) async -> Finding

  /// All checks, in the order in which one failure explains the next.
  static var checks: [Diagnosis] {
    [
      Diagnosis(name: "permissions") { context in LocalDiagnosis(context).permissions() },
      Diagnosis(name: "vault") { context in await LocalDiagnosis(context).vault() },
      Diagnosis(name: "store") { context in await LocalDiagnosis(context).store() },
      Diagnosis(name: "session") { context in await LocalDiagnosis(context).session() },
      Diagnosis(name: "backend") { context in await NetworkDiagnosis(context).backend() },
      Diagnosis(name: "tls") { context in await NetworkDiagnosis(context).tls() },
      Diagnosis(name: "clock") { context in await NetworkDiagnosis(context).clock() },
      Diagnosis(name: "realtime") { context in await RealtimeDiagnosis(context).realtime() },
    ]
  }
}
