#if os(Linux)
import Foundation
import Testing

/// The vaults, each with its real counterpart, under the real executable.
@Suite struct VaultTests {
  @Test func `A store in a TPM opens with it, waits while it is away, and not with another`()
    async throws
  {
    let (tpm, home) = (try SoftwareTPM(), try ClientHome())
    let environment = ["TSS2_TCTI": tpm.tcti, "HEADLESS_CLIENT_VAULT": "auto"]
    let set = try await home.run(
      "store",
      "set",
      "k",
      "v",
      "--vault",
      "tpm2",
      environment: environment
    )
    #expect(set.status == 0 && !set.errors.contains("ERROR"), "\(set.everything)")
    let get = try await home.run("store", "get", "k", environment: environment)
    #expect(get.line?.string("value") == "v" && get.errors.isEmpty, "\(get.everything)")
    let info = try await home.run("store", "info", environment: environment)
    #expect(info.line?.string("vault") == "tpm2")

    tpm.kill()
    let away = try await home.run("store", "get", "k", environment: environment)
    #expect(away.status == 74 && away.error?.string("code") == "vaultUnavailable")
    #expect(away.errors.split(separator: "\n").count == 1, "\(away.errors)")
    let status = try await home.run("status", environment: environment)
    #expect(status.line?.string("state") == "unknown", "\(status.everything)")

    try tpm.replace()
    let other = try await home.run("store", "get", "k", environment: environment)
    #expect(other.status == 74 && other.error?.string("code") == "wrongKey", "\(other.errors)")
  }

  @Test func `A home that is put back from a copy is tampered where a TPM counts`() async throws {
    let (tpm, home) = (try SoftwareTPM(), try ClientHome())
    let environment = ["TSS2_TCTI": tpm.tcti, "HEADLESS_CLIENT_VAULT": "tpm2"]
    #expect(try await home.run("store", "set", "k", "old", environment: environment).status == 0)
    let copy = home.path + "-copy"
    try FileManager.default.copyItem(atPath: home.path, toPath: copy)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    #expect(try await home.run("store", "set", "k", "new", environment: environment).status == 0)
    let new = try await home.run("store", "get", "k", environment: environment)
    #expect(new.line?.string("value") == "new", "\(new.everything)")

    try FileManager.default.removeItem(atPath: home.path)
    try FileManager.default.copyItem(atPath: copy, toPath: home.path)
    let old = try await home.run("store", "get", "k", environment: environment)
    #expect(old.status == 74 && old.error?.string("code") == "tampered", "\(old.everything)")
  }

  @Test func `Without a TPM the vault tpm2 is unavailable, and makes no store`() async throws {
    let home = try ClientHome()
    let set = try await home.run(
      "store",
      "set",
      "k",
      "v",
      "--vault",
      "tpm2",
      environment: ["TSS2_TCTI": "swtpm:path=/none"]
    )
    #expect(set.status == 74 && set.error?.string("code") == "vaultUnavailable")
    #expect(set.errors.split(separator: "\n").count == 1, "\(set.errors)")
    #expect(try await home.run("store", "get", "k").status == 69)
  }

  @Test func `A store in the kernel's keyring is there for every process, and says how long`()
    async throws
  {
    let home = try ClientHome()
    let made = try await home.run("store", "set", "k", "v", "--vault", "kernel-keyring")
    guard made.error?.string("code") != "vaultUnavailable" else { return }
    #expect(made.status == 0 && made.errors.contains("reboot"), "\(made.everything)")
    let option = ["HEADLESS_CLIENT_VAULT": "auto"]
    let get = try await home.run("store", "get", "k", environment: option)
    #expect(get.line?.string("value") == "v" && get.errors.isEmpty, "\(get.everything)")
    // Moving the key away takes it out of the keyring.
    let moved = try await home.run("store", "rekey", "--vault", "file", environment: option)
    #expect(moved.status == 0, "\(moved.everything)")
    let keys = try String(contentsOfFile: "/proc/keys", encoding: .utf8)
    let folder = try #require(home.path.split(separator: "/").last)
    // What is invalidated, and cannot be reached any more, may stand there for a moment.
    let alive = keys.split(separator: "\n").filter { !($0.split(separator: " ")[1].contains("i")) }
    #expect(!alive.contains { $0.contains(folder) })
    let back = try await home.run(
      "store",
      "rekey",
      "--vault",
      "kernel-keyring",
      environment: option
    )
    #expect(back.status == 0 && back.errors.contains("reboot"), "\(back.everything)")
    _ = try await home.run("store", "rekey", "--vault", "file", environment: option)
  }

  @Test func `A passphrase that is kept for a time is asked for once, until the sign-out`()
    async throws
  {
    let home = try ClientHome()
    let vault = ["HEADLESS_CLIENT_VAULT": "passphrase", "HEADLESS_CLIENT_KEEP_UNLOCKED": "600"]
    let given = vault.merging(["HEADLESS_CLIENT_PASSPHRASE": "one"]) { $1 }
    let made = try await home.run("store", "set", "k", "v", environment: given)
    #expect(made.status == 0, "\(made.everything)")
    let kept = try await home.run("store", "get", "k", environment: vault)
    guard kept.status == 0 else {
      // A kernel that keeps no keys: asked for as ever.
      #expect(kept.error?.string("code") == "vaultLocked", "\(kept.everything)")
      return
    }
    #expect(kept.line?.string("value") == "v")
    // Who does not ask for it is not served from it.
    let plain = try await home.run(
      "store",
      "get",
      "k",
      environment: ["HEADLESS_CLIENT_VAULT": "passphrase"]
    )
    #expect(plain.error?.string("code") == "vaultLocked", "\(plain.everything)")

    var new = given
    new["HEADLESS_CLIENT_NEW_PASSPHRASE"] = "two"
    #expect(try await home.run("store", "passphrase", environment: new).status == 0)
    #expect(try await home.run("store", "get", "k", environment: vault).status == 74)
    let wrong = try await home.run("store", "get", "k", environment: given)
    #expect(wrong.error?.string("code") == "wrongKey", "\(wrong.everything)")
    #expect(try await home.run("store", "get", "k", environment: vault).status == 74)

    new["HEADLESS_CLIENT_PASSPHRASE"] = "two"
    #expect(try await home.run("store", "get", "k", environment: new).status == 0)
    #expect(try await home.run("store", "get", "k", environment: vault).status == 0)
    #expect(try await home.run("logout", environment: vault).status == 0)
    let locked = try await home.run("store", "get", "k", environment: vault)
    #expect(locked.error?.string("code") == "vaultLocked", "\(locked.everything)")
  }

  @Test func `A time that is no number of seconds is a usage error`() async throws {
    let home = try ClientHome()
    for time in ["0", "-1", "x", "604801"] {
      #expect(try await home.run("status", "--keep-unlocked", time).status == 64)
    }
  }
}
#endif
