import Foundation
import Testing

@testable import DevBackend

/// What Prometheus is told.
@Suite struct MetricsTests {
  @Test func `what happened is counted, by labels out of the program alone`() async throws {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky()
      let token = session.string("refresh_token")
      _ = try await fixture.refreshSky(token)
      _ = try await fixture.refreshSky(token, device: "thief")
      for index in 0..<50 {
        _ = try await fixture.client.send("GET", "/nothing/\(index)")
        _ = try await fixture.client.send("DELETE", "/sessions/secret-\(index)")
      }
      _ = try await fixture.client.send("BREW", "/auth/me")
      let answer = try await fixture.client.send("GET", "/metrics")
      #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
      for line in [
        #"dev_backend_http_requests_total{method="POST",route="/auth/register",status="201"} 1"#,
        #"dev_backend_http_requests_total{method="GET",route="none",status="404"} 50"#,
        #"dev_backend_http_requests_total{method="DELETE",route="/sessions/{id}",status="401"} 50"#,
        #"dev_backend_http_requests_total{method="other",route="none",status="405"} 1"#,
        #"dev_backend_refreshes_total{outcome="rotated"} 1"#,
        #"dev_backend_refreshes_total{outcome="device_mismatch"} 1"#,
        #"dev_backend_sessions_ended_total{reason="device_mismatch"} 1"#,
        "dev_backend_registrations_total 1", "dev_backend_draining 0",
        #"dev_backend_http_request_seconds_count{route="/auth/refresh"} 2"#,
      ] {
        #expect(answer.text.contains("\n\(line)\n"), "\(line)")
      }
      for secret in ["secret-", "ada", token, session.string("access_token"), "phone"] {
        #expect(!answer.text.contains(secret))
      }
    }
  }

  @Test func `a histogram adds up`() {
    var histogram = Histogram()
    for milliseconds in [1, 2, 3, 700, 60_000] { histogram.add(.milliseconds(milliseconds)) }
    var text = MetricsText()
    text.histogram("x_seconds", "Help", label: "route", ["/\"a\\": histogram])
    let lines = text.text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "# HELP dev_backend_x_seconds Help")
    #expect(lines[1] == "# TYPE dev_backend_x_seconds histogram")
    let name = #"dev_backend_x_seconds_bucket{route="/\"a\\",le="#
    #expect(lines.contains(#"\#(name)"0.001"} 1"#) && lines.contains(#"\#(name)"0.002"} 2"#))
    #expect(lines.contains(#"\#(name)"1"} 4"#) && lines.contains(#"\#(name)"10"} 4"#))
    #expect(lines.contains(#"\#(name)"+Inf"} 5"#))
    #expect(text.text.contains(#"_sum{route="/\"a\\"} 60.706000"#))
  }

  private static let python = URL(fileURLWithPath: "/usr/bin/python3")
  /// Debian's python3-prometheus-client.
  private static let parser = "/usr/lib/python3/dist-packages/prometheus_client/parser.py"

  @Test(.enabled(if: FileManager.default.fileExists(atPath: parser)))
  func `Prometheus' own parser reads it`() async throws {
    try await Fixture.run { fixture in
      _ = try await fixture.registerSky()
      try fixture.inspector.addFaults(FaultPlan("status:503,path=/auth/me"))
      _ = try await fixture.client.send("GET", "/auth/me")
      let script = """
        import sys, urllib.request
        from prometheus_client.parser import text_string_to_metric_families
        answer = urllib.request.urlopen(sys.argv[1])
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        families = {f.name: f for f in text_string_to_metric_families(answer.read().decode())}
        requests = families["dev_backend_http_requests"]
        assert requests.type == "counter" and requests.documentation, requests
        seconds = families["dev_backend_http_request_seconds"]
        assert seconds.type == "histogram", seconds
        buckets = [s for s in seconds.samples if s.name.endswith("_bucket")
                   and s.labels["route"] == "/auth/register"]
        assert buckets[-1].labels["le"] == "+Inf" and buckets[-1].value == 1, buckets
        values = [b.value for b in buckets]
        assert values == sorted(values), values
        assert families["dev_backend_draining"].type == "gauge"
        faults = families["dev_backend_faults"].samples
        assert [(s.labels["fault"], s.value) for s in faults] == [("status", 1.0)], faults
        samples = [(s.name, tuple(sorted(s.labels.items())))
                   for f in families.values() for s in f.samples]
        assert len(samples) == len(set(samples)), "a series stands there twice"
        print(len(families))
        """
      let outcome = try await Executable(
        "-c",
        script,
        "http://127.0.0.1:\(fixture.client.port)/metrics",
        path: Self.python
      ).outcome()
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output == "\(MetricsText.counters.count + 5)\n")
    }
  }
}
