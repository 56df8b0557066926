import Foundation

@testable import DevBackend

/// A certificate for 127.0.0.1 and localhost that lasts until 2120, and its key: for tests only.
enum TestIdentity {
  /// Writes both files.
  static func write(to directory: URL) throws -> BackendConfiguration.TLS {
    let files = [("cert.pem", certificate), ("key.pem", key)].map { name, text in
      (directory.appendingPathComponent(name), text)
    }
    for (url, text) in files { try Data(text.utf8).write(to: url) }
    return .init(certificateFile: files[0].0.path, keyFile: files[1].0.path)
  }

  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBeDCCAR2gAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFkZXYtYmFj
    a2VuZCB0ZXN0czAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
    MBgGA1UEAwwRZGV2LWJhY2tlbmQgdGVzdHMwWTATBgcqhkjOPQIBBggqhkjOPQMB
    BwNCAATWG7Ul9ktzQxJ3IUI2x+QwF9rMp1KY7XbG7KaDG90hX69E/1HjFJ1cS+p8
    3qkdSPinqEo/71WLb6JghsbTOVuao04wTDAPBgNVHRMBAf8EBTADAQH/MBoGA1Ud
    EQQTMBGHBH8AAAGCCWxvY2FsaG9zdDAdBgNVHQ4EFgQU/0QWd0RUImyWCoT++4et
    lsTDgc8wCgYIKoZIzj0EAwIDSQAwRgIhALmoQ1ewaVp5RzTlXRoi3e8gtKf8VI//
    HFTpbhuWbHXfAiEAjn8+Xz+B255BsgW/VqSv0+SrCd9s//GTST8lwXf4vuI=
    -----END CERTIFICATE-----
    """

  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtLuL5/W/BYDRov/o
    G5vdV3rFy3Y13hqhrouL3s1FSG+hRANCAATWG7Ul9ktzQxJ3IUI2x+QwF9rMp1KY
    7XbG7KaDG90hX69E/1HjFJ1cS+p83qkdSPinqEo/71WLb6JghsbTOVua
    -----END PRIVATE KEY-----
    """
}
