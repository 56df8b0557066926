/// Which of the two APIs a session was made through.
enum Dialect: String, Sendable {
  case skyConnect = "skyconnect"
  case ksn
}
