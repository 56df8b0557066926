extension FaultPlan {
  /// Each fault, how it is written, and what it does.
  static let faults: [(name: String, form: String, help: String)] = [
    ("delay", "delay:2s", "waits before the request is handled"),
    ("hold", "hold:2s", "waits after it was committed, before it is answered"),
    ("drop", "drop", "closes the connection instead of handling it"),
    ("lose", "lose", "commits it, and closes the connection instead of answering"),
    ("status", "status:503", "answers so; retry-after=30 and code=invalid_grant may follow"),
    ("html", "html:502", "answers with a gateway's page; html:200 is a captive portal"),
    ("redirect", "redirect:URL", "answers 307"),
    ("strip", "strip:refresh_token", "leaves a member out of the JSON answer"),
    ("disguise", "disguise:exp=1e300", "odd access tokens; also no-exp, opaque, two-parts"),
    ("cookie", "cookie:trap=1", "sets a cookie; the log says when one comes back"),
    ("expire", "expire", "every access token made until now has expired"),
    ("revoke", "revoke,path=/auth/me", "revokes the session of the request's token"),
    ("skew", "skew:-1h", "moves the server's clock, until the next one; skew:0s ends it"),
    ("drain", "drain:5s", "refuses work for so long, as when it is stopped"),
    ("restart-realtime", "restart-realtime", "says GOAWAY, ends the streams, starts again"),
  ]

  /// How a plan is written, for `--help`.
  public static var guide: String {
    let lines = faults.map { fault in
      let padding = String(repeating: " ", count: max(1, 24 - fault.form.count))
      return "  \(fault.form)\(padding)\(fault.help)"
    }
    return """
      Faults (--faults 'FAULT,CONDITION=…;FAULT,…', or POST /admin/faults {"faults": "…"}):
      \(lines.joined(separator: "\n"))
      Conditions: path=/auth/* (realtime calls: path=*/Subscribe), method=POST, times=N, after=N
      (so many pass first), probability=0.1 with seed=N. The last five happen at once where they
      have no condition, else once, before the first request that fits.
      """
  }
}
