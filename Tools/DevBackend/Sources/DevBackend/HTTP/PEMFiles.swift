#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The certificate and the key, as texts.
struct PEMFiles: Sendable {
  let certificate: String
  let key: String

  /// Reads both files; blocks.
  ///
  /// - Throws: ``BackendError`` that names the file that cannot be read.
  init(_ tls: BackendConfiguration.TLS) throws(BackendError) {
    certificate = try Self.read(tls.certificateFile, "--tls-cert")
    key = try Self.read(tls.keyFile, "--tls-key")
  }

  private static func read(_ path: String, _ option: String) throws(BackendError) -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw BackendError(.tls, "cannot read \(path); give a PEM file with \(option)")
    }
    let text = String(decoding: data, as: UTF8.self)
    guard text.contains("-----BEGIN ") else {
      throw BackendError(.tls, "\(path) is no PEM file; give one with \(option)")
    }
    return text
  }
}
